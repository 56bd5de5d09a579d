package reader

import (
	"iter"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/segment"
)

// Posting is one document of a posting list.
type Posting struct {
	Doc  uint32 // docID
	Freq uint32 // how often the term occurs in the document, at least 1
}

// Postings returns the postings of term as the segment stores them: deleted
// documents are included and docIDs are local to the segment. It yields nothing
// if the segment does not hold term. An error is yielded last, with a
// Posting of NoDoc.
//
// It decodes many blocks at a time. It is the fastest way to read a whole list;
// to skip in one, use a Cursor. While it runs it keeps the list in memory; after
// the snapshot is closed it ends with an error that matches ErrClosed.
func (s *Segment) Postings(term []byte) iter.Seq2[Posting, error] {
	return s.only().Postings(term)
}

// Postings returns the postings of term in all segments, with global docIDs in
// ascending order and without deleted documents. It yields nothing if no segment
// holds term. An error is yielded last, with a Posting of NoDoc.
func (s *Snapshot) Postings(term []byte) iter.Seq2[Posting, error] {
	return postings(s, nil, term)
}

// postings is Postings of fields, as lookup.
func postings(s *Snapshot, fields []Field, term []byte) iter.Seq2[Posting, error] {
	return func(yield func(Posting, error) bool) {
		if err := livesOf(s).acquire(); err != nil {
			yield(Posting{Doc: NoDoc}, err)
			return
		}
		defer livesOf(s).release()
		r := rowPool.Get().(*rows)
		defer rowPool.Put(r)
		for i := range s.segments {
			f := fieldIn(s, fields, i)
			dels, err := f.seg.Deletes()
			if err != nil {
				yield(Posting{Doc: NoDoc}, err)
				return
			}
			if !r.each(f, term, f.seg.base, dels, yield) {
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

// each yields the postings of term in f, without those in dels and with base added
// to docIDs. It returns false if yield did or if it yielded an error.
func (r *rows) each(f Field, term []byte, base uint32, dels *Deletes, yield func(Posting, error) bool) bool {
	s := f.seg
	e, ok, err := f.Lookup(term)
	if err == nil && ok {
		err = s.initList(&r.list, e)
	}
	if err != nil {
		yield(Posting{Doc: NoDoc}, err)
		return false
	}
	if !ok {
		return true
	}
	for r.rows.Reset(&r.list); ; {
		p, err := r.next(s)
		for i, doc := range p.Docs {
			if !dels.Has(doc) && !yield(Posting{base + doc, p.Freqs[i]}, nil) {
				return false
			}
		}
		if err != nil {
			yield(Posting{Doc: NoDoc}, err)
			return false
		}
		if p.Len() == 0 {
			return true
		}
	}
}

// next decodes the next row and returns its postings, or none after the last row.
// With an error it returns the postings of the blocks before the damaged one.
func (r *rows) next(s *Segment) (p format.Postings, err error) {
	if err := s.life.err(); err != nil {
		return p, err
	}
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if !r.rows.Next() {
		return p, r.rows.Err()
	}
	if p = r.rows.Postings; r.list.Kind != segment.KindExtent {
		return p, nil
	}
	for b, from := r.rows.Block, 0; from < p.Len(); b++ {
		end := min(from+r.list.BlockLen, p.Len())
		if !plausible(&r.list, p.Docs[from:end], b, s.info.Docs) {
			return p.Slice(0, from), r.list.Locate(implausible(), b)
		}
		from = end
	}
	return p, nil
}
