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

// rowLen is how many postings are decoded at a time.
const rowLen = 4 * maxBlock

// rows reads lists many blocks at a time.
type rows struct {
	list        segment.List
	docs, freqs [rowLen]uint32
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
	for block := 0; block < r.list.Blocks; block += rowLen / r.list.BlockLen {
		n, err := r.decode(s, block)
		freqs := r.freqs[:n]
		for i, doc := range r.docs[:n] {
			if !dels.Has(doc) && !yield(Posting{base + doc, freqs[i]}, nil) {
				return false
			}
		}
		if err != nil {
			yield(Posting{}, err)
			return false
		}
	}
	return true
}

// decode decodes a row that begins with a block and returns how many postings it
// holds; with an error, those of the blocks before the broken one.
func (r *rows) decode(s *Segment, block int) (n int, err error) {
	if err := s.life.err(); err != nil {
		return 0, err
	}
	defer store.CatchFault(store.ArmFault(), &err)
	l := &r.list
	count := min(rowLen/l.BlockLen, l.Blocks-block)
	docs, err := l.DecodeDocs(r.docs[:], block, count)
	if err != nil {
		count = docs / l.BlockLen
	}
	freqs, ferr := l.DecodeFreqs(r.freqs[:], block, count)
	if ferr != nil {
		err = ferr
	}
	both := min(docs, freqs)
	if small, _ := l.Small(); small != nil {
		return both, err
	}
	for b := block; n < both; b++ {
		end := min(n+l.BlockLen, both)
		if !plausible(l, r.docs[n:end], b, s.Info.Docs) {
			return n, locate(implausible(), s, b)
		}
		n = end
	}
	if err == nil && docs != freqs {
		err = locate(unequal(docs, freqs), s, block+n/l.BlockLen)
	}
	return n, err
}
