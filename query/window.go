package query

import (
	"math"
	"math/bits"
)

// Sizes of windows, in documents.
const (
	minWindow = 4096
	maxWindow = 1 << 16
)

// window is a range of documents with an accumulator for each.
type window struct {
	lo   uint32 // first document
	size uint32
	acc  []float32 // scores so far; all zero between windows
	bits []uint64  // documents whose score passed; all zero between windows
	keep []float32 // scratch
}

// open makes the window size documents long from lo on.
func (w *window) open(lo, size uint32) {
	w.lo, w.size = lo, size
	if n := int(size); n > len(w.acc) {
		w.acc, w.bits = make([]float32, n), make([]uint64, n/64)
	}
}

// add adds scores to the accumulators of docs, which lie in the window, and marks
// those above pass. A docID outside, which only damage can bring, is dropped.
func (w *window) add(docs []uint32, scores []float32, pass float32) {
	acc, marks, lo := w.acc[:w.size], w.bits, w.lo
	scores = scores[:len(docs)]
	for i, d := range docs {
		if j := d - lo; j < uint32(len(acc)) {
			a := acc[j] + scores[i]
			acc[j] = a
			if a > pass {
				marks[j>>6] |= 1 << (j & 63)
			}
		}
	}
}

// drain appends the marked documents and their scores to c and empties the window.
func (w *window) drain(c *candidates) {
	for i, m := range w.bits[:w.size/64] {
		if m == 0 {
			continue
		}
		w.bits[i] = 0
		for ; m != 0; m &= m - 1 {
			j := i*64 + bits.TrailingZeros64(m)
			c.add(w.lo+uint32(j), w.acc[j])
		}
	}
	clear(w.acc[:w.size])
}

// scan computes Or over windows of documents: every list's postings in the window
// are added to accumulators, list after list.
func (r *run) scan() { r.windows(false) }

// rangeMaxScore is scan with MaxScore: the longest lists whose bounds together do
// not pass the threshold are not accumulated, but probed for the documents that
// can still pass.
func (r *run) rangeMaxScore() { r.windows(true) }

func (r *run) windows(prune bool) {
	r.sumBounds()
	if prune {
		r.estimate()
	}
	for essential := len(r.lists); ; {
		if prune {
			essential = r.essential(essential)
		}
		lo := uint32(end)
		for _, l := range r.lists[:essential] {
			lo = min(lo, l.doc)
		}
		if lo == end || r.stopped() {
			return
		}
		r.Pivots++
		r.win.open(lo&^63, r.windowSize(essential))
		pass := float32(-1)
		if prune {
			pass = r.passing(essential)
		}
		for _, l := range r.lists[:essential] {
			r.accumulate(l, pass)
		}
		r.cand.reset()
		r.win.drain(&r.cand)
		r.finish(essential)
		r.q.Trace.threshold(r, r.win.lo)
	}
}

// passing returns a score such that a document with that or less from the first
// lists cannot pass the threshold with the others.
func (r *run) passing(essential int) float32 {
	if r.top.prune < 0 {
		return -1
	}
	return float32Below(float64(r.top.prune) - float64(r.suffix[essential]))
}

// float32Below returns the greatest float32 that is not above v.
func float32Below(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// windowSize aims at some thousand postings of the first lists in a window, so
// that accumulators stay in the nearest caches and what a window costs by itself
// does not weigh.
func (r *run) windowSize(essential int) uint32 {
	postings := uint64(0)
	for _, l := range r.lists[:essential] {
		postings += uint64(l.l.N)
	}
	const aim = 2048
	size := uint64(minWindow)
	for size < maxWindow && size*postings < aim*uint64(r.part.docs) {
		size *= 2
	}
	return uint32(size)
}

// accumulate adds the postings of l in the window.
func (r *run) accumulate(l *list, pass float32) {
	hi := r.win.lo + r.win.size
	for l.doc < hi {
		if l.block < 0 && !l.load(0) || !r.scoreBlock(l) {
			return
		}
		n := len(l.docs)
		if l.last[l.block] >= hi {
			n = lowerBound(l.docs, l.pos, n-1, hi)
		}
		r.win.add(l.docs[l.pos:n], l.scores[l.pos:n], pass)
		if n == len(l.docs) {
			l.enter(l.block + 1)
			continue
		}
		l.pos, l.doc = n, l.docs[n]
	}
}
