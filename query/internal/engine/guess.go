package engine

import "slices"

// A disjunction may begin with a threshold that is likely but not proven. If fewer than k hits reach
// it, the pass is repeated with thresholds that are proven.

// proven reports whether k hits reach what n documents of a list that are not deleted reach.
func (r *run) proven(n int) bool { return r.q.Filter == nil && r.top.k <= n }

// guessed reports whether k hits likely do, and a guess is allowed. With a filter its share of the
// documents decides. Without one, k/2 documents of a list are enough: other lists raise the scores of
// more documents. Lists with fewer than k postings together cannot have k hits.
func (r *run) guessed(n int) bool {
	switch {
	case r.sure || r.top.shared != nil:
		return false
	case r.q.Filter != nil:
		return r.likely(n)
	}
	return len(r.lists) > 1 && r.top.k <= 2*n && r.mayFill()
}

// mayFill reports whether the terms have k postings, without those of deleted documents.
func (r *run) mayFill() bool {
	left := uint64(r.top.k)
	for i := range r.terms {
		if r.terms[i].df >= left {
			return true
		}
		left -= r.terms[i].df
	}
	return false
}

// likely reports whether k of n documents of the segment are in the filter in all likelihood, if
// these are like the others.
func (r *run) likely(n int) bool {
	return float64(n)*float64(r.filter.docs) >= float64(2*r.top.k+10)*float64(r.part.seg.Docs())
}

// verified reports whether the pass has found all hits although it guessed thresholds: k of them
// reach the greatest guess.
func (r *run) verified() bool {
	if r.guess < 0 {
		return true
	}
	r.top.trim()
	return len(r.top.heap) == r.top.k && keyHit(slices.Min(r.top.heap)).Score >= r.guess
}
