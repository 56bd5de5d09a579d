package query

import (
	"math"
	"math/bits"
)

// Sizes of windows, in documents: multiples of 4096.
const (
	minWindow = 1 << 12
	maxWindow = 1 << 17
)

// window is a range of documents with an accumulator for each.
type window struct {
	lo   uint32 // first document
	size uint32
	acc  []float32 // scores so far; all zero between windows
	// marked has a bit for every document whose score passed, groups one for
	// every word of marked that is not zero. All zero between windows.
	marked, groups []uint64
	touched        []uint32 // documents with a score, repeated for every list
}

// open makes the window size documents long from lo on.
func (w *window) open(lo, size uint32) {
	w.lo, w.size = lo, size
	if int(size) > len(w.acc) {
		n := (int(size) + minWindow - 1) / minWindow
		w.acc, w.marked, w.groups = make([]float32, n*4096), make([]uint64, n*64), make([]uint64, n)
	}
	w.touched = w.touched[:0]
}

// add adds scores to the accumulators of docs, which lie in the window, and marks
// those above pass. A docID outside, which only damage can bring, is dropped.
func (w *window) add(docs []uint32, scores []float32, pass float32) {
	w.touched = append(w.touched, docs...)
	acc, lo := w.acc[:w.size], w.lo
	scores = scores[:len(docs)]
	for i, d := range docs {
		if j := d - lo; j < uint32(len(acc)) {
			a := acc[j] + scores[i]
			acc[j] = a
			if a > pass {
				w.marked[j>>6] |= 1 << (j & 63)
				w.groups[j>>12] |= 1 << (j >> 6 & 63)
			}
		}
	}
}

// drain appends the marked documents and their scores to c and empties the window.
func (w *window) drain(c *candidates) {
	for g, words := range w.groups {
		w.groups[g] = 0
		for ; words != 0; words &= words - 1 {
			i := g*64 + bits.TrailingZeros64(words)
			for m := w.marked[i]; m != 0; m &= m - 1 {
				j := i*64 + bits.TrailingZeros64(m)
				c.add(w.lo+uint32(j), w.acc[j])
			}
			w.marked[i] = 0
		}
	}
	acc := w.acc[:w.size]
	if len(w.touched) > len(acc)/8 {
		clear(acc)
		return
	}
	for _, d := range w.touched {
		if j := d - w.lo; j < uint32(len(acc)) {
			acc[j] = 0
		}
	}
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
	for n := len(r.lists); ; {
		if prune {
			n = r.accumulated(n)
		}
		r.start(r.lists[:n])
		lo := uint32(end)
		for _, l := range r.lists[:n] {
			lo = min(lo, l.Doc())
		}
		if lo >= r.hi || r.stopped() {
			return
		}
		r.Pivots++
		r.win.open(lo, min(r.windowSize(n), r.hi-lo))
		pass := float32(-1)
		if prune {
			pass = r.passing(n)
		}
		for _, l := range r.lists[:n] {
			r.accumulate(l, pass)
		}
		r.cand.reset()
		r.win.drain(&r.cand)
		if prune {
			r.raise(n)
		}
		r.finish(n)
		r.q.Trace.threshold(r, r.win.lo)
	}
}

// accumulated returns how many lists, at most n, are worth accumulating: the
// essential ones, and of the others those that are no longer than these are
// together. No list at all means that no further document can be a hit.
func (r *run) accumulated(n int) int {
	e := r.essential(n)
	if e == 0 {
		return 0
	}
	postings := 0
	for _, l := range r.lists[:e] {
		postings += l.List().N
	}
	for e < n && r.lists[e].List().N <= localLimit+localFactor*postings {
		e++
	}
	return e
}

var localLimit, localFactor = 4096, 1

// passing returns a score such that a document with that or less from the first
// n lists cannot pass the threshold with the others.
func (r *run) passing(n int) float32 {
	if r.top.prune < 0 {
		return -1
	}
	return float32Below(float64(r.top.prune) - float64(r.suffix[n]))
}

// raise raises the threshold to the k-th best of what the candidates score with
// the first n lists alone, and drops those that now cannot pass.
func (r *run) raise(n int) {
	k, c := r.top.k, &r.cand
	if r.vet || len(c.docs) <= k || n == len(r.lists) {
		return
	}
	r.kth = append(r.kth[:0], c.sums...)
	theta := greatest(r.kth, k)
	if theta <= r.top.theta {
		return
	}
	r.top.raise(theta)
	pass, kept := r.passing(n), 0
	for i, s := range c.sums {
		if s > pass {
			c.docs[kept], c.sums[kept] = c.docs[i], s
			kept++
		}
	}
	c.docs, c.sums = c.docs[:kept], c.sums[:kept]
}

// float32Below returns the greatest float32 that is not above v.
func float32Below(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// windowSize aims at some thousand postings of the first n lists in a window, so
// that accumulators stay in the nearest caches and what a window costs by itself
// does not weigh.
func (r *run) windowSize(n int) uint32 {
	postings := uint64(0)
	for _, l := range r.lists[:n] {
		postings += uint64(l.List().N)
	}
	const aim = 2048
	size := uint64(minWindow)
	for size < maxWindow && size*postings < aim*uint64(r.part.seg.Docs()) {
		size *= 2
	}
	return uint32(size)
}

// accumulate adds the postings of l in the window.
func (r *run) accumulate(l *list, pass float32) {
	hi := r.win.lo + r.win.size
	for l.Doc() < hi && !r.stopped() {
		docs := l.Docs()
		n := len(docs)
		if n > 0 && docs[n-1] >= hi {
			n = lowerBound(docs, hi)
		}
		scores := r.scoreBlock(l, docs[:n])
		if scores == nil {
			return
		}
		r.win.add(docs[:n], scores, pass)
		if n == len(docs) {
			l.NextBlock()
		} else {
			l.NextGEQ(hi)
		}
	}
}

// scoreBlock returns the scores of the next postings of l, whose docIDs are docs;
// they are valid until the next call. It returns nil when there are none because
// of damage.
func (r *run) scoreBlock(l *list, docs []uint32) []float32 {
	if l.small {
		return l.scores[l.Pos():][:len(docs)]
	}
	freqs := l.Freqs()
	if len(freqs) < len(docs) || len(docs) == 0 {
		return nil
	}
	r.scores = grow(r.scores, len(docs))
	r.scorePostings(l, r.scores, docs, freqs[:len(docs)])
	return r.scores
}
