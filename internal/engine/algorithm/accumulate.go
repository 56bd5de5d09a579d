package algorithm

import "github.com/pinion-index/pinion/internal/engine/posting"

// accumulate adds up the postings of the first n lists. It makes the documents of the first e lists candidates: all of them, or those
// that can pass the threshold.
func (r disjunction) accumulate(e, n int, all, prune bool) {
	sorted := false // candidates must be sorted before they are looked up in lists
	for _, l := range r.Lists[n:] {
		sorted = sorted || l.Dense == nil
	}
	pass := func() float32 {
		if all {
			return -1
		}
		return r.passing(n)
	}
	r.sum(r.win.lists[:n], e, pass, func(at int, lo uint32) {
		if prune && n < len(r.Lists) && r.raise(at) {
			r.cand.dropBelow(at, r.passing(n))
		}
		if !all && sorted {
			r.cand.sort(at, lo)
		}
	})
}

// sum adds up the postings of lists in accumulators, a sub-window at a time. It makes the documents of the first e lists that score more
// than pass candidates, in any order; or all members, if pass is negative. After each sub-window it calls then with the index of the first
// of them and where the sub-window begins.
func (r *Run) sum(lists []stretch, e int, pass func() float32, then func(at int, lo uint32)) {
	w, c := &r.win, &r.cand
	if w.acc == nil {
		w.acc = make([]float32, subWindow)
	}
	for lo := first(lists[:e]); lo != posting.End; lo = first(lists[:e]) {
		for i := range lists {
			w.add(&lists[i], lo)
		}
		at := len(c.docs)
		if limit := pass(); limit < 0 {
			w.collectMembers(lo, c)
		} else {
			for i := range lists[:e] {
				w.collect(&lists[i], lo, limit, c)
			}
		}
		for i := range lists {
			lists[i].at = lists[i].end
		}
		then(at, lo)
	}
}

// first returns the first document that lists have left, or posting.End.
func first(lists []stretch) uint32 {
	lo := uint32(posting.End)
	for i := range lists {
		if s := &lists[i]; s.at < len(s.docs) {
			lo = min(lo, s.docs[s.at])
		}
	}
	return lo
}

// raise adds the partial scores of the candidates from index n on to r.Partial, raises the
// threshold to the k-th best of them, and reports whether it rose.
func (r disjunction) raise(n int) bool {
	if r.after != NoHit {
		return false // documents with these partial scores may be earlier hits
	}
	var codes []uint16
	if r.Static != nil {
		codes, _ = r.static.Codes()
	}
	for i, s := range r.cand.sums[n:] {
		if codes != nil {
			s = statics(r).rise(r.static.CodeLeast(codes[r.cand.docs[n+i]])).Of(s)
		}
		if s > r.Partial.Least && (!r.vets() || r.Allowed(r.cand.docs[n+i])) {
			r.Partial.Add(s)
		}
	}
	old := r.Top.Theta
	r.Top.Raise(r.Partial.Least)
	return r.Top.Theta > old
}
