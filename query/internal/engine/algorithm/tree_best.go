package algorithm

import (
	"math"

	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// bestSums is summing for a root that is the best of words: it keeps the greatest score of a document beside the sum.
type bestSums struct {
	of   *node     // nil unless the root is one
	most []float32 // of the candidates
	acc  []float32 // greatest scores in a sub-window; all zero between sub-windows
	left bestLeft  // after the lists that are read
}

// bestLeft is what other lists add at most.
type bestLeft struct {
	most float32 // none scores more
	pass float32 // what a score without what they add must be above
}

// planBest sets what the lists that are not held, and then not looked up, add at most.
func (t *tree) planBest() {
	b := &t.sum.best
	if b.of = nil; t.root.op != OpBest {
		return
	}
	for _, n := range t.root.kids {
		if n.op != OpWord {
			return
		}
	}
	b.of = t.root
	most, sum := 0.0, 0.0
	left := func() bestLeft {
		return bestLeft{float32(most), float32Below(float64(t.planned) - float64(t.root.tie)*sum)}
	}
	for _, n := range t.root.kids {
		if !n.held && n.list.Dense == nil {
			most, sum = max(most, n.bound), sum+n.bound
		}
	}
	for i := len(t.sum.dense) - 1; i >= 0; i-- {
		n := t.sum.dense[i]
		n.after = left()
		most, sum = max(most, n.bound), sum+n.bound
	}
	b.left = left()
}

// sumBest makes the documents of the sources that may pass candidates.
func (t *tree) sumBest() {
	w, s, b := &t.run.win, &t.sum, &t.sum.best
	if b.acc == nil {
		b.acc = make([]float32, subWindow)
	}
	b.most = b.most[:0]
	lists, sources := w.lists[:len(s.lists)], w.lists[:len(t.sources)]
	for lo := first(sources); lo != posting.End; lo = first(sources) {
		for i := range lists {
			w.add(&lists[i], lo)
			b.raise(&lists[i], lo)
		}
		for i := range sources {
			t.collectBest(&sources[i], lo)
		}
		for i := range lists {
			lists[i].at = lists[i].end
		}
	}
}

// raise raises the greatest scores in the sub-window that begins at lo to those of s.
func (b *bestSums) raise(s *stretch, lo uint32) {
	acc, docs := (*[subWindow]float32)(b.acc), s.docs[s.at:s.end]
	for i, v := range s.scores[s.at:s.end] {
		a := &acc[(docs[i]-lo)%subWindow]
		*a = greater(*a, v)
	}
}

// greater returns the greater of two scores, which order as their bits do.
func greater(a, b float32) float32 {
	return math.Float32frombits(max(math.Float32bits(a), math.Float32bits(b)))
}

// collectBest makes the documents of s in the sub-window that begins at lo candidates, if they may pass, and zeroes their
// accumulators.
func (t *tree) collectBest(s *stretch, lo uint32) {
	c, b, sums := &t.run.cand, &t.sum.best, (*[subWindow]float32)(t.run.win.acc)
	acc := (*[subWindow]float32)(b.acc)
	for _, d := range s.docs[s.at:s.end] {
		j := (d - lo) % subWindow
		sum, most := sums[j], acc[j]
		sums[j], acc[j] = 0, 0
		if most > 0 && b.of.bestSoFar(sum, greater(most, b.left.most)) > b.left.pass {
			c.add(d, sum)
			b.most = append(b.most, most)
		}
	}
}

// bestSoFar returns the score of a best whose alternatives score sum together, and none more than most.
func (n *node) bestSoFar(sum, most float32) float32 { return most + n.tie*(sum-most) }

// addBestCached is addCached for a best, after the scores of n have been added to the sums.
func (t *tree) addBestCached(n *node) {
	c, b, k := &t.run.cand, &t.sum.best, 0
	docs, sums, norms, most := c.docs, c.sums[:len(c.docs)], c.norms[:len(c.docs)], b.most[:len(c.docs)]
	for i, v := range t.run.scores[:len(docs)] {
		m := greater(most[i], v)
		docs[k], sums[k], norms[k], most[k] = docs[i], sums[i], norms[i], m
		if b.of.bestSoFar(sums[i], greater(m, n.after.most)) > n.after.pass {
			k++
		}
	}
	c.docs, c.sums, c.norms, b.most = docs[:k], sums[:k], norms[:k], most[:k]
}
