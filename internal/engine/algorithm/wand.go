package algorithm

import (
	"cmp"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/posting"
)

// wand computes Or by WAND (Broder 2003). With the lists ordered by their current docIDs, the pivot
// is the first list at which the sum of the bounds passes the threshold; no document before its
// current one can be a hit. With blockMax it is Block-Max WAND (Ding and Suel 2011): the bounds of
// the blocks around the pivot document must also pass, or everything up to the nearest end of those
// blocks is skipped.
func (r stepwise) wand(blockMax bool) {
	r.SumBounds()
	r.start(r.Lists)
	r.order = append(r.order[:0], r.Lists...)
	slices.SortFunc(r.order, func(a, b *posting.List) int { return cmp.Compare(a.Doc(), b.Doc()) })
	for !r.Due() {
		p := r.pivot()
		if p < 0 {
			return
		}
		r.Pivots++
		doc := r.order[p].Doc()
		if blockMax {
			if next, pass := r.blockPivot(p, doc); !pass {
				r.advance(p, next)
				continue
			}
		}
		if r.order[0].Doc() == doc {
			r.Candidates++
			score := r.scoreAt(doc)
			for i := 0; i <= p; i++ {
				r.order[i].Next()
			}
			r.restore(p)
			r.accept(doc, score)
			r.risen(doc)
			continue
		}
		r.advance(p, doc)
	}
}

// pivot returns the index in order of the last list that is at the pivot document, or -1 if no
// later document can be a hit.
func (r stepwise) pivot() int {
	var sum float32
	for i, l := range r.order {
		if l.Doc() >= r.hi {
			return -1
		}
		if sum += l.Bound; sum > r.Top.Prune {
			for i+1 < len(r.order) && r.order[i+1].Doc() == l.Doc() {
				i++
			}
			return i
		}
	}
	return -1
}

// blockPivot reports whether the bounds of the blocks around doc in lists 0 to p together pass the
// threshold. If not, next is the first document that may be a hit.
func (r stepwise) blockPivot(p int, doc uint32) (next uint32, pass bool) {
	var sum float32
	next = r.hi
	if p+1 < len(r.order) {
		next = r.order[p+1].Doc()
	}
	for _, l := range r.order[:p+1] {
		if last := l.Shallow(doc); last != posting.End { // last >= doc, so that next > doc
			sum += l.BlockBound()
			next = min(next, last+1)
		}
	}
	return next, sum > r.Top.Prune
}

// advance moves the list with the fewest postings, among those of lists 0 to p that are before
// target, to target.
func (r stepwise) advance(p int, target uint32) {
	best := -1
	for i, l := range r.order[:p+1] {
		if l.Doc() < target && (best < 0 || l.Term < r.order[best].Term) {
			best = i
		}
	}
	if best < 0 {
		return // damage has ended the lists before target
	}
	l := r.order[best]
	l.Probes++
	l.NextGEQ(target)
	r.sink(best)
}

// sink moves list i towards the end of order until order is sorted again.
func (r stepwise) sink(i int) {
	l := r.order[i]
	for i+1 < len(r.order) && r.order[i+1].Doc() < l.Doc() {
		r.order[i] = r.order[i+1]
		i++
	}
	r.order[i] = l
}

// restore sorts order after lists 0 to p have moved forward.
func (r stepwise) restore(p int) {
	for i := p; i >= 0; i-- {
		r.sink(i)
	}
}
