package algorithm

import "github.com/pinion-index/pinion/internal/engine/posting"

// Sizes of windows, in documents.
const (
	minWindow = 1 << 12
	maxWindow = 1 << 19
)

// windowPostings is the target number of postings of a window: enough to amortize the cost of a
// window, and few enough to stay in the caches.
const windowPostings = 1 << 12

// disjunction is a Run that adds up lists in windows of documents.
type disjunction struct{ *Run }

// scan computes Or over windows of documents: it adds every list's postings in the window to
// accumulators, list after list.
func (r disjunction) scan() { r.windows(false) }

// rangeMaxScore is scan with MaxScore: only documents of essential lists are accumulated. The
// shorter non-essential lists are also read in the window, but only their postings of these
// documents. The longest are probed for the documents that can still pass.
func (r disjunction) rangeMaxScore() { r.windows(true) }

// exhaustive is scan over windows of the same size, wherever lists have postings.
func (r disjunction) exhaustive() {
	r.SumBounds()
	w, n := &r.win, len(r.Lists)
	for w.lo = r.lo; w.lo < min(r.hi, r.Part.Seg.Docs()) && !r.Stopped(); w.lo = w.hi {
		w.hi = w.lo + min(subWindow, r.hi-w.lo)
		r.cand.reset()
		r.gather(n, n, false)
		r.finish(n)
		r.risen(w.lo)
	}
}

func (r disjunction) windows(prune bool) {
	r.SumBounds()
	if prune {
		thresholds(r).raise()
	}
	w, essential, read, size := &r.win, -1, 0, uint32(0)
	for !r.Stopped() {
		statics(r).most()
		e := len(r.Lists)
		if prune {
			e = r.essential(e)
		}
		if e != essential {
			essential, read, size = e, r.worthReading(e), r.windowSize(e)
			r.start(r.Lists[:e])
		}
		w.lo = posting.End
		for _, l := range r.Lists[:e] {
			w.lo = min(w.lo, max(l.Doc(), l.From))
		}
		if r.filter.sifted && w.lo < r.hi {
			w.lo = r.filter.next(w.lo)
		}
		if w.lo >= r.hi {
			return
		}
		w.hi = w.lo + min(size, r.hi-w.lo)
		statics(r).mostIn(w.lo, w.hi)
		r.Pivots++
		r.cand.reset()
		r.gather(e, read, prune)
		if r.filter.sifted {
			r.cand.keepIn(&r.filter, r.win.lo, r.win.hi)
		}
		r.finish(read)
		r.risen(w.lo)
	}
}

// A non-essential list of at most readAlways postings is always read. A longer one is read if it
// has at most readAlways more postings than the essential lists together.
const readAlways = 16000

// worthReading returns how many lists to read if the first e are essential: these, and the short
// ones among the others.
func (r disjunction) worthReading(e int) int {
	postings := 0
	for _, l := range r.Lists[:e] {
		postings += l.List().N
	}
	for e < len(r.Lists) && r.Lists[e].List().N <= readAlways+postings && r.Lists[e].Dense == nil {
		e++
	}
	return e
}

// windowSize returns how many documents have about windowPostings postings in the first n lists,
// from minWindow to maxWindow.
func (r disjunction) windowSize(n int) uint32 {
	postings := uint64(1)
	for _, l := range r.Lists[:n] {
		postings += uint64(l.List().N)
	}
	return windowFor(postings, r.Part.Seg.Docs())
}

// windowFor is windowSize for postings, at least one, in a segment of docs documents.
func windowFor(postings uint64, docs uint32) uint32 {
	size := windowPostings * uint64(docs) / postings
	return uint32(min(max(size, minWindow), maxWindow))
}

// Up to maxMerged postings of several lists are merged. More are added to accumulators, which costs
// less per posting.
const maxMerged = 128

// gather makes the documents of the window candidates that are in one of the first e lists and can
// pass the threshold with the scores of the first n lists.
func (r disjunction) gather(e, n int, prune bool) {
	w := &r.win
	for len(w.lists) < n {
		w.lists = append(w.lists, stretch{})
	}
	all := !prune || r.Top.Prune < 0
	w.members.Reset(w.lo, w.hi-1)
	needed := n // the first needed lists may be looked up in members
	if !all && e == n {
		for needed > 0 && !r.worthTesting(needed-1) {
			needed--
		}
	}
	postings := 0
	for i, l := range r.Lists[:e] {
		pass := float32(-1)
		if !all && r.worthTesting(i) {
			pass = r.passing(i + 1)
		}
		s := &w.lists[i]
		s.reset()
		reading(r).read(s, reading(r).walk(l, w.lo, w.hi, pass, &w.members), withScores)
		postings += len(s.docs)
		if i+1 < needed || all {
			w.members.Add(s.docs)
		}
	}
	merged := e == 1 || postings <= maxMerged
	if merged {
		r.merge(e)
	}
	for i := e; i < n; i++ {
		reading(r).readMembers(r.Lists[i], &w.lists[i])
		if merged {
			r.cand.update(&w.lists[i])
		}
	}
	if !merged {
		r.accumulate(e, n, all, prune)
	} else if prune && n < len(r.Lists) {
		r.raise(0)
	}
	if prune {
		r.cand.dropBelow(0, r.passing(n))
	}
	w.members.Clear()
}

// merge makes the documents of the first n lists candidates.
func (r disjunction) merge(n int) {
	lists := r.win.lists[:n]
	c := &r.cand
	c.docs, c.sums = append(c.docs[:0], lists[0].docs...), append(c.sums[:0], lists[0].scores...)
	for i := range lists[1:] {
		s := &lists[i+1]
		c.join(s, &r.other)
	}
}

// worthTesting reports whether blocks of essential list i may have bounds that, with the lists
// after it, do not pass the threshold, so that documents in no earlier list can be left out.
func (r disjunction) worthTesting(i int) bool {
	const low = 0.8 // few blocks have a lower bound than this part of the list's
	return low*r.Lists[i].Bound+r.suffix[i+1] <= r.Top.Prune
}
