package algorithm

import "github.com/pinion-index/pinion/query/internal/engine/posting"

// nextFiltered returns the first document from doc on that is in the filter, or end.
func (r *Run) nextFiltered(doc uint32) uint32 {
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
	lo, hi := uint64(base)+uint64(r.win.lo), uint64(base)+uint64(r.win.hi)
	if lo < f.next {
		f.next = 0
	}
	if f.docs*(hi-f.next) <= uint64(containsFactor*len(c.docs))*uint64(r.Part.Seg.Docs()) {
		f.load(r.filter.all, uint32(lo), uint32(hi-1))
		c.keep(&f.set, base)
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
