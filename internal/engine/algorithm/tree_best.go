package algorithm

import (
	"math"

	"github.com/pinion-index/pinion/internal/engine/posting"
)

// bestSums is summing for a tree whose only addend beside constants is a best: it keeps the greatest sum of an alternative
// beside that of all.
type bestSums struct {
	of    *node // nil unless there is one
	alts  []alternative
	lists []*stretch // of alts
	most  []float32  // of the candidates
	acc   []float32  // greatest sums in a sub-window; all zero between sub-windows
	one   []float32  // sums of an alternative; all zero between alternatives
	left  bestLeft   // after the lists that are read
}

// alternative is one of a best.
type alternative struct {
	from, to int     // in bestSums.lists: those that are read
	left     float32 // what its other leaves add at most
}

// bestLeft is what other lists add at most.
type bestLeft struct {
	most float32 // none scores more
	pass float32 // what a score without what they add must be above
}

// chooseBest sets the best that is summed up by alternatives, if there is one.
func (t summed) chooseBest() {
	b := &t.sum.best
	b.of = nil
	for _, n := range t.addend {
		switch {
		case n.op == OpConst || n.op == OpAll:
		case n.op != OpBest || b.of != nil:
			b.of = nil
			return
		default:
			b.of = n
		}
	}
	for _, n := range t.sources {
		if n.op == opDot {
			b.of = nil
		}
	}
}

// planBest sets what the lists that are not held, and then not looked up, add at most.
func (t summed) planBest() {
	b := &t.sum.best
	if b.of == nil {
		return
	}
	most, sum, constant := 0.0, 0.0, 0.0
	for _, n := range t.addend {
		if n != b.of {
			constant += n.bound
		}
	}
	left := func() bestLeft {
		return bestLeft{float32Above(most), float32Below(float64(t.planned) - constant - float64(b.of.tie)*sum)}
	}
	b.alts = b.alts[:0]
	for i, n := range b.of.best {
		bound := n.flatBound()
		for _, leaf := range t.sum.leaves {
			if leaf.alt == i && leaf.added {
				bound -= leaf.bound
			}
		}
		bound = max(bound, 0)
		most, sum = max(most, bound), sum+bound
		b.alts = append(b.alts, alternative{left: float32Above(bound)})
	}
	for i := len(t.sum.dense) - 1; i >= 0; i-- {
		n := t.sum.dense[i]
		n.after = left()
		most, sum = max(most, n.bound), sum+n.bound
	}
	b.left = left()
}

// float32Above returns the least float32 that is not below v.
func float32Above(v float64) float32 { return -float32Below(-v) }

// sumBest makes the documents of the sources that may pass candidates.
func (t summed) sumBest() {
	w, s, b := &t.run.win, &t.sum, &t.sum.best
	if b.acc == nil {
		b.acc, b.one = make([]float32, subWindow), make([]float32, subWindow)
	}
	b.most, b.lists = b.most[:0], b.lists[:0]
	for i := range b.alts {
		a := &b.alts[i]
		a.from = len(b.lists)
		for k, n := range s.lists {
			if n.alt == i {
				b.lists = append(b.lists, &w.lists[k])
			}
		}
		a.to = len(b.lists)
	}
	sources := w.lists[:len(t.sources)]
	for lo := first(sources); lo != posting.End; lo = first(sources) {
		for i := range b.alts {
			a := &b.alts[i]
			b.raise(w, b.lists[a.from:a.to], a.left, lo)
		}
		for i := range sources {
			t.collectBest(&sources[i], lo)
		}
		for _, l := range b.lists {
			l.at = l.end
		}
	}
}

// raise adds the scores of an alternative's lists in the sub-window that begins at lo to the sums, and raises the greatest sums to its
// own, with left more.
func (b *bestSums) raise(w *window, lists []*stretch, left float32, lo uint32) {
	acc, sums, one := (*[subWindow]float32)(b.acc), (*[subWindow]float32)(w.acc), (*[subWindow]float32)(b.one)
	if len(lists) == 1 {
		s := lists[0]
		w.add(s, lo)
		docs := s.docs[s.at:s.end]
		for i, v := range s.scores[s.at:s.end] {
			a := &acc[(docs[i]-lo)%subWindow]
			*a = greater(*a, v+left)
		}
		return
	}
	for _, s := range lists {
		s.addTo(one, lo)
	}
	for _, s := range lists {
		for _, d := range s.docs[s.at:s.end] {
			j := (d - lo) % subWindow
			v := one[j]
			one[j] = 0
			sums[j] += v
			acc[j] = greater(acc[j], v+left)
		}
	}
}

// greater returns the greater of two scores, which order as their bits do.
func greater(a, b float32) float32 {
	return math.Float32frombits(max(math.Float32bits(a), math.Float32bits(b)))
}

// collectBest makes the documents of s in the sub-window that begins at lo candidates, if they may pass, and zeroes their
// accumulators.
func (t summed) collectBest(s *stretch, lo uint32) {
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
func (t summed) addBestCached(n *node) {
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
