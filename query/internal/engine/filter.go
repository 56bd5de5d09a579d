package engine

import "github.com/RoaringBitmap/roaring/v2"

// filterSet is a query's filter in the current segment.
type filterSet struct {
	docs   uint64 // how many of the segment's documents it has
	count  uint64 // how many of the documents to consider it has
	sifted bool   // it lacks some of these

	// For reading it window by window, in global docIDs.
	it    roaring.ManyIntIterator
	buf   [256]uint32
	at, n int    // what is left of buf
	next  uint64 // all documents before next have been read; 0: reading has not begun
	set   bitmap
}

// sift makes all documents of the current segment that are in the filter the ones to consider. It
// returns false if there is none.
func (r *run) sift() bool {
	r.filter.sifted = false
	some := r.within(0, end)
	r.filter.docs = r.filter.count
	return some
}

// within makes the documents from lo up to hi the ones to consider, but for those before the first
// and behind the last of the filter. It returns false if the filter has none of them.
func (r *run) within(lo, hi uint32) bool {
	r.lo, r.hi = lo, hi
	f := r.q.Filter
	if f == nil {
		return true
	}
	base := uint64(r.part.seg.Base())
	after := min(base+uint64(hi), base+uint64(r.part.seg.Docs()))
	first := f.NextValue(uint32(base + uint64(lo)))
	if first < 0 || uint64(first) >= after {
		r.hi, r.filter.count = lo, 0
		return false
	}
	last := f.PreviousValue(uint32(after - 1))
	r.lo, r.hi = uint32(uint64(first)-base), uint32(uint64(last)-base)+1
	r.filter.count = f.CardinalityInRange(uint64(first), uint64(last)+1)
	r.filter.sifted = r.filter.count <= uint64(last-first)
	return true
}

// nextFiltered returns the first document from doc on that is in the filter, or end.
func (r *run) nextFiltered(doc uint32) uint32 {
	base := r.part.seg.Base()
	if next := r.q.Filter.NextValue(base + doc); next >= 0 {
		return uint32(next) - base
	}
	return end
}

// containsFactor is how many documents of a filter can be read in the time that looking up one takes.
const containsFactor = 8

// keepFiltered drops the candidates of the window that are not in the filter.
func (r *run) keepFiltered() {
	f, c, base := &r.filter, &r.cand, r.part.seg.Base()
	lo, hi := uint64(base)+uint64(r.win.lo), uint64(base)+uint64(r.win.hi)
	if lo < f.next {
		f.next = 0
	}
	if f.docs*(hi-f.next) <= uint64(containsFactor*len(c.docs))*uint64(r.part.seg.Docs()) {
		f.load(r.q.Filter, uint32(lo), uint32(hi-1))
		c.keep(&f.set, base)
		f.set.clear()
		return
	}
	n := 0
	for i, doc := range c.docs {
		if r.q.Filter.Contains(base + doc) {
			c.docs[n], c.sums[n] = doc, c.sums[i]
			n++
		}
	}
	c.docs, c.sums = c.docs[:n], c.sums[:n]
}

// load makes the documents of the filter from lo to last members of the set.
func (f *filterSet) load(filter *roaring.Bitmap, lo, last uint32) {
	if f.next == 0 {
		f.it.Initialize(filter)
		f.at, f.n = 0, 0
	}
	f.next = uint64(last) + 1
	f.set.reset(lo, last)
	for {
		part := f.buf[f.at:f.n]
		if len(part) > 0 && part[len(part)-1] > last {
			part = part[:lowerBound(part, last+1)]
		}
		f.set.add(part[lowerBound(part, lo):])
		if f.at += len(part); f.at < f.n {
			return
		}
		if f.at, f.n = 0, f.it.NextMany(f.buf[:]); f.n == 0 {
			return
		}
	}
}

// keep drops the candidates that are not members; docID 0 is member base. It does not branch on
// which are, since that is hard to predict.
func (c *candidates) keep(members *bitmap, base uint32) {
	n, lo, words := 0, members.lo-base, members.words[:members.used]
	docs, sums := c.docs, c.sums[:len(c.docs)]
	for i, d := range docs {
		docs[n], sums[n] = d, sums[i]
		if j := d - lo; int(j>>6) < len(words) {
			n += int(words[j>>6] >> (j & 63) & 1)
		}
	}
	c.docs, c.sums = docs[:n], sums[:n]
}
