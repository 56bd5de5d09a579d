package algorithm

import (
	"slices"

	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/engine/topk"
)

// A disjunction may begin with a threshold that is likely but not proven. If fewer than k hits reach
// it, the pass is repeated with thresholds that are proven.

// thresholds is a Run that looks for thresholds before it reads postings.
type thresholds struct{ *Run }

// proven reports whether k hits reach what n documents of a list that are not deleted reach.
func (r thresholds) proven(n int) bool { return !r.filter.some() && r.Top.K <= n }

// guessed reports whether k hits likely do, and a guess is allowed. With a filter its share of the
// documents decides. Without one, k/2 documents of a list are enough: other lists raise the scores of
// more documents. Lists with fewer than k postings together cannot have k hits.
func (r thresholds) guessed(n int) bool {
	switch {
	case r.Sure || r.Top.Shared != nil:
		return false
	case r.filter.some():
		return r.likely(n)
	}
	return len(r.Lists) > 1 && r.Top.K <= 2*n && r.Postings >= uint64(r.Top.K)
}

// likely reports whether k of n documents of the segment are in the filter in all likelihood, if
// these are like the others.
func (r thresholds) likely(n int) bool {
	return float64(n)*float64(r.filter.docs) >= float64(2*r.Top.K+10)*float64(r.Part.Seg.Docs())
}

// Verified reports whether the pass has found all hits although it guessed thresholds: k of them
// reach the greatest guess.
func (r *Run) Verified() bool {
	if r.Guess < 0 {
		return true
	}
	r.Top.Trim()
	return len(r.Top.Heap) == r.Top.K && topk.KeyHit(slices.Min(r.Top.Heap)).Score >= r.Guess
}

// FirstEssential returns how many lists RangeMaxScore begins with. All lists must be open.
func (r *Run) FirstEssential() int {
	r.SumBounds()
	thresholds{r}.raise()
	return r.essential(len(r.Lists))
}

// raise raises the threshold to what the k-th impacts of the current lists prove: at least k
// documents that are not deleted reach it. Impacts that prove nothing may allow a guess. If only later hits
// count, nothing is known of them.
func (r thresholds) raise() {
	if r.after != NoHit {
		return
	}
	for _, l := range r.Lists {
		if l.Small {
			r.kth = r.liveScores(r.kth[:0], l)
			if len(r.kth) >= r.Top.K {
				r.Top.Raise(topk.Greatest(r.kth, r.Top.K))
			}
			continue
		}
		for i, n := range l.Reach {
			tf, dl, ok := l.List().Kth[i].Pair()
			if !ok || !r.proven(int(n)) && !r.guessed(int(n)) {
				continue
			}
			theta := l.In.Scorer.Score(l.Weight, float32(tf), l.In.Scorer.Norm(dl))
			if !r.proven(int(n)) && theta > r.Top.Theta {
				r.Guess = theta
			}
			r.Top.Raise(theta)
			break
		}
	}
}

// liveScores appends the scores of a small list's documents that may be hits to dst.
func (r thresholds) liveScores(dst []float32, l *posting.List) []float32 {
	if !r.filter.some() && r.Part.Deletes == nil {
		return append(dst, l.Scores...)
	}
	for i, doc := range l.List().Small().Docs {
		if r.Allowed(doc) {
			dst = append(dst, l.Scores[i])
		}
	}
	return dst
}
