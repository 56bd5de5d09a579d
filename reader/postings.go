package reader

import (
	"iter"
	"sync"

	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// Posting is one document of a posting list.
type Posting struct {
	Doc  uint32 // docID
	Freq uint32 // how often the term occurs in the document, at least 1
}

// Postings returns the postings of term as the segment stores them, deleted
// documents included, with docIDs local to the segment; none if it does not hold
// term. An error is the last element; its Posting is zero.
//
// It decodes many blocks at a time: it is the fastest way to read a whole list, and
// a Cursor the way to skip in one.
func (s *Segment) Postings(term []byte) iter.Seq2[Posting, error] {
	return func(yield func(Posting, error) bool) {
		r := rowPool.Get().(*rows)
		defer rowPool.Put(r)
		r.each(s, term, 0, nil, yield)
	}
}

// Postings returns the postings of term in all segments with global docIDs, in
// docID order, deleted documents excepted; none if no segment holds term. An error
// is the last element; its Posting is zero.
func (s *Snapshot) Postings(term []byte) iter.Seq2[Posting, error] {
	return func(yield func(Posting, error) bool) {
		r := rowPool.Get().(*rows)
		defer rowPool.Put(r)
		for _, seg := range s.segments {
			dels, err := seg.Deletes()
			if err != nil {
				yield(Posting{}, err)
				return
			}
			if !r.each(seg, term, seg.Base, dels, yield) {
				return
			}
		}
	}
}

// rows reads lists many blocks at a time.
type rows struct {
	list segment.List
	rows segment.Rows
}

var rowPool = sync.Pool{New: func() any { return new(rows) }}

// each yields the postings of term in s, without those in dels and with base added
// to docIDs. It returns false if yield did or if it yielded an error.
func (r *rows) each(s *Segment, term []byte, base uint32, dels *Deletes, yield func(Posting, error) bool) bool {
	e, ok, err := s.Lookup(term)
	if err == nil && ok {
		err = s.InitList(&r.list, e)
	}
	if err != nil {
		yield(Posting{}, err)
		return false
	}
	if !ok {
		return true
	}
	for r.rows.Reset(&r.list); ; {
		docs, freqs, err := r.next(s)
		for i, doc := range docs {
			if !dels.Has(doc) && !yield(Posting{base + doc, freqs[i]}, nil) {
				return false
			}
		}
		if err != nil {
			yield(Posting{}, err)
			return false
		}
		if len(docs) == 0 {
			return true
		}
	}
}

// next decodes the next row and returns its postings, none after the last row; with an
// error, those of the blocks before the broken one.
func (r *rows) next(s *Segment) (docs, freqs []uint32, err error) {
	if err := s.life.err(); err != nil {
		return nil, nil, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	if !r.rows.Next() {
		return nil, nil, r.rows.Err()
	}
	docs, freqs = r.rows.Docs, r.rows.Freqs
	if r.list.Kind != segment.KindExtent {
		return docs, freqs, nil
	}
	for b, from := r.rows.Block, 0; from < len(docs); b++ {
		end := min(from+r.list.BlockLen, len(docs))
		if !plausible(&r.list, docs[from:end], b, s.Info.Docs) {
			return docs[:from], freqs[:from], locate(implausible(), s, b)
		}
		from = end
	}
	return docs, freqs, nil
}
