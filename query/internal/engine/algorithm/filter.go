package algorithm

import (
	"github.com/pinion-index/pinion/query/internal/engine/bitset"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// filtered reports whether the filter may lack documents of the current segment.
func (r *Run) filtered() bool { return r.filter.own != nil || r.filter.all != nil }

// inFilter reports whether a document is in the filter.
func (r *Run) inFilter(doc uint32) bool {
	if own := r.filter.own; own != nil {
		return own.Contains(doc)
	}
	return r.filter.all == nil || r.filter.all.Contains(r.Part.Seg.Base()+doc)
}

// withinOwn is Within for documents of the segment.
func (r *Run) withinOwn() bool {
	f := &r.filter
	lo, hi := f.own.Bounds()
	r.lo, r.hi = max(r.lo, lo), min(r.hi, hi)
	if r.lo < r.hi {
		r.lo = f.own.Next(r.lo)
	}
	if r.lo >= r.hi {
		r.hi, f.count = r.lo, 0
		return false
	}
	f.count = uint64(f.own.Count(r.lo, r.hi))
	f.sifted = f.count < uint64(r.hi-r.lo)
	return true
}

// nextFiltered returns the first document from doc on that is in the filter, or end.
func (r *Run) nextFiltered(doc uint32) uint32 {
	if own := r.filter.own; own != nil {
		return own.Next(doc)
	}
	base := r.Part.Seg.Base()
	if next := r.filter.all.NextValue(base + doc); next >= 0 {
		return uint32(next) - base
	}
	return posting.End
}

// containsFactor is how many documents of a filter can be read in the time that looking up one takes.
const containsFactor = 8

// keepFiltered drops the candidates of the window that are not in the filter.
func (r *Run) keepFiltered() {
	f, c, base := &r.filter, &r.cand, r.Part.Seg.Base()
	if f.own != nil {
		r.keepOwn()
		return
	}
	if r.loadFilter(r.win.lo, r.win.hi, len(c.docs)) {
		lo, words := f.set.Contents()
		c.keep(words, lo-base)
		f.set.Clear()
		return
	}
	n := 0
	for i, doc := range c.docs {
		if r.filter.all.Contains(base + doc) {
			c.docs[n], c.sums[n] = doc, c.sums[i]
			n++
		}
	}
	c.docs, c.sums = c.docs[:n], c.sums[:n]
}

// keepOwn is keepFiltered for documents of the segment.
func (r *Run) keepOwn() {
	f := &r.filter
	if lo, words, ok := f.own.Words(); ok {
		r.cand.keep(words, lo)
		return
	}
	f.some = f.own.AppendDocs(f.some[:0], r.win.lo, r.win.hi)
	f.set.Reset(r.win.lo, r.win.hi-1)
	f.set.Add(f.some)
	lo, words := f.set.Contents()
	r.cand.keep(words, lo)
	f.set.Remove(f.some)
}

// loadFilter makes the documents of the filter from lo up to hi members of its set if that is faster than looking up n
// documents, which it reports.
func (r *Run) loadFilter(lo, hi uint32, n int) bool {
	f := &r.filter
	from, to := uint64(r.Part.Seg.Base())+uint64(lo), uint64(r.Part.Seg.Base())+uint64(hi)
	if from < f.next {
		f.next = 0
	}
	if f.docs*(to-f.next) > uint64(containsFactor*n)*uint64(r.Part.Seg.Docs()) {
		return false
	}
	f.load(f.all, uint32(from), uint32(to-1))
	return true
}

// keepInFilter keeps those of docs, which ascend, that are in the filter.
func (r *Run) keepInFilter(docs []uint32) []uint32 {
	f, base := &r.filter, r.Part.Seg.Base()
	if f.own != nil {
		return f.own.Keep(docs, false)
	}
	if r.loadFilter(docs[0], docs[len(docs)-1]+1, len(docs)) {
		lo, words := f.set.Contents()
		docs = bitset.Keep(docs, words, lo-base, false)
		f.set.Clear()
		return docs
	}
	n := 0
	for _, doc := range docs {
		if f.all.Contains(base + doc) {
			docs[n] = doc
			n++
		}
	}
	return docs[:n]
}

// andFilter removes the documents that are not in the filter from words, which have documents from lo up to hi.
func (r *Run) andFilter(words []uint64, lo, hi uint32) {
	f, base := &r.filter, r.Part.Seg.Base()
	if f.own != nil {
		f.own.And(words, lo)
		return
	}
	from := base + lo
	if uint64(from) < f.next {
		f.next = 0
	}
	f.load(f.all, from, base+hi-1)
	first, members := f.set.Contents()
	bitset.AndShifted(words, members, uint(from-first))
	f.set.Clear()
}
