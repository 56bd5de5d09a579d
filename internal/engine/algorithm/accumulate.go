package algorithm

import "github.com/pinion-index/pinion/internal/engine/posting"

// accumulate adds up the postings of the first n lists in accumulators. It makes the documents of
// the first e lists candidates: all of them, or those that can pass the threshold.
func (r disjunction) accumulate(e, n int, all, prune bool) {
	w := &r.win
	if w.acc == nil {
		w.acc = make([]float32, subWindow)
	}
	sorted := false // candidates must be sorted before they are looked up in lists
	for _, l := range r.Lists[n:] {
		sorted = sorted || l.Dense == nil
	}
	for lists := w.lists[:n]; ; {
		lo := uint32(posting.End)
		for i := range lists[:e] {
			if s := &lists[i]; s.at < len(s.docs) {
				lo = min(lo, s.docs[s.at])
			}
		}
		if lo == posting.End {
			break
		}
		for i := range lists {
			w.add(&lists[i], lo)
		}
		at := len(r.cand.docs)
		if all {
			w.collectMembers(lo, &r.cand)
		} else {
			pass := r.passing(n)
			for i := range lists[:e] {
				w.collect(&lists[i], lo, pass, &r.cand)
			}
		}
		for i := range lists {
			lists[i].at = lists[i].end
		}
		if prune && n < len(r.Lists) && r.raise(at) {
			r.cand.dropBelow(at, r.passing(n))
		}
		if !all && sorted {
			r.cand.sort(at, lo)
		}
	}
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
			s += r.static.CodeLeast(codes[r.cand.docs[n+i]])
		}
		if s > r.Partial.Least && (!r.vets() || r.Allowed(r.cand.docs[n+i])) {
			r.Partial.Add(s)
		}
	}
	old := r.Top.Theta
	r.Top.Raise(r.Partial.Least)
	return r.Top.Theta > old
}
