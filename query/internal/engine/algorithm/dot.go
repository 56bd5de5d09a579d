package algorithm

import "github.com/pinion-index/pinion/format"

// A Dot is a best of words of a field of impacts, in what it matches: one of them at least. Its score is the sum of the
// weights that a document has of its words, each multiplied by one of the query, and that sum times a factor. The sum
// is an integer below 2^24, so that no order of the words matters, and the score is rounded once.

// dots is the place of the first Dot: after all terms, before all constants.
const dots = constants / 2

// dotBound returns a bound of what a word of a Dot adds to its score.
func (n *node) dotBound() float64 {
	const slack = 1 + 1.0/(1<<22) // of rounding
	return float64(n.weight*uint32(n.list.List().MaxWeight())) * float64(n.score) * slack
}

// addDot is add for a Dot.
func (t *tree) addDot(n *node, sums []float32) {
	r, m := t.run, &t.look
	t.dots = grow(t.dots, len(t.docs))
	clear(t.dots)
	for _, k := range n.kids {
		if len(k.which) == 0 {
			continue
		}
		if err := m.readFreqs(k.list, k.at); err != nil {
			r.fail(format.Locate(err, r.Place(k.list)))
			return
		}
		for i, c := range k.which {
			t.dots[c] += k.weight * m.freqs[i]
		}
	}
	each(n.active, func(i int) { sums[i] += float32(float32(t.dots[i]) * n.kids[0].score) })
}
