package writer

import (
	"bytes"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// terms walks the dictionaries together and yields jobs in the order of terms.
func (m *merger) terms(free chan *mergeJob, yield func(*mergeJob) bool) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	var heap termHeap
	for i, src := range m.sources {
		c := &termCursor{source: uint32(i), file: src.seg.Name(), it: src.seg.Terms()}
		if c.next() {
			heap = append(heap, c)
		} else if err := c.it.Err(); err != nil {
			return err
		}
	}
	heap.init()
	for len(heap) > 0 {
		var j *mergeJob
		select {
		case j = <-free:
			j.reset()
		default:
			j = &mergeJob{}
		}
		for len(heap) > 0 && len(j.ends) < chunkTerms && j.postings < chunkPostings {
			if err := heap.take(j); err != nil {
				return err
			}
		}
		if !yield(j) {
			return nil
		}
	}
	return nil
}

// termCursor is a source's place in its dictionary.
type termCursor struct {
	source uint32
	file   string
	it     *segment.TermIterator
	prefix uint64
}

func (c *termCursor) next() bool {
	if !c.it.Next() {
		return false
	}
	c.prefix = prefixOf(c.it.Term())
	return true
}

// less orders cursors by term, then by source.
func (c *termCursor) less(d *termCursor) bool {
	if c.prefix != d.prefix {
		return c.prefix < d.prefix
	}
	if k := bytes.Compare(c.it.Term(), d.it.Term()); k != 0 {
		return k < 0
	}
	return c.source < d.source
}

// termHeap is a binary heap of cursors, the least first.
type termHeap []*termCursor

func (h termHeap) init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

func (h termHeap) sink(i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1].less(h[c]) {
			c++
		}
		if !h[c].less(h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// take appends the least term and its lists to j and moves on.
func (h *termHeap) take(j *mergeJob) error {
	c := (*h)[0]
	from, prefix := len(j.terms), c.prefix
	j.terms = append(j.terms, c.it.Term()...)
	j.ends = append(j.ends, len(j.terms))
	for {
		e := c.it.Entry()
		j.lists = append(j.lists, listRef{c.source, e})
		j.postings += uint64(e.DF)
		if err := h.advance(j.terms[from:]); err != nil {
			return err
		}
		if len(*h) == 0 {
			break
		}
		if c = (*h)[0]; c.prefix != prefix || !bytes.Equal(c.it.Term(), j.terms[from:]) {
			break
		}
	}
	j.listEnds = append(j.listEnds, len(j.lists))
	return nil
}

// advance moves the least cursor on from term.
func (h *termHeap) advance(term []byte) error {
	c := (*h)[0]
	before := c.prefix
	if c.next() {
		if c.prefix <= before && bytes.Compare(c.it.Term(), term) <= 0 {
			err := format.Corrupt("term %q follows %q", c.it.Term(), term)
			return format.Locate(err, format.Place{File: c.file, Section: format.SectionTerms.String(), Block: format.NoBlock})
		}
	} else {
		if err := c.it.Err(); err != nil {
			return err
		}
		last := len(*h) - 1
		(*h)[0] = (*h)[last]
		*h = (*h)[:last]
	}
	h.sink(0)
	return nil
}
