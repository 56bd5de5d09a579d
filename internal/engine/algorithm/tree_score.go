package algorithm

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/engine/bm25"
)

// score scores the matches and offers them.
func (t matching) score() {
	r := t.run
	if none(t.root.match) {
		return
	}
	t.activate(t.root, t.root.match)
	t.sums = grow(t.sums, len(t.docs))
	clear(t.sums)
	rest, leaves, product := 0.0, true, r.Static != nil && r.Static.Multiply
	for _, n := range t.addend {
		rest += n.bound
	}
	for i, n := range t.addend {
		if leaves && !product && n.place >= constants { // a product is of the whole score
			leaves = false
			t.addStatic(rest)
		}
		if i > 0 && r.Top.Prune >= 0 && n.listed() && !n.scored {
			t.drop(rest)
		}
		t.add(n, t.root.match, t.sums)
		if rest -= n.bound; r.Err != nil || r.Due() {
			return
		}
	}
	if leaves {
		t.addStatic(0)
	}
	each(t.root.match, func(i int) { r.offer(t.docs[i], t.sums[i]) })
}

// drop drops the matches that cannot pass the threshold if what is left adds at most rest.
func (t matching) drop(rest float64) {
	pass := float32Below(float64(t.run.Top.Prune) - rest)
	if pass < 0 {
		return
	}
	match := t.root.match
	each(match, func(i int) {
		if t.sums[i] <= pass {
			match[i/64] &^= 1 << (i % 64)
		}
	})
}

// none reports whether a mask has no members.
func none(mask []uint64) bool {
	for _, w := range mask {
		if w != 0 {
			return false
		}
	}
	return true
}

// activate sets the candidates in which nodes score: those that they and all nodes around them match.
func (t matching) activate(n *node, in []uint64) {
	n.active = append(n.active[:0], in...)
	if and(n.active, n.match); n.op != OpBool && n.op != OpBest {
		return
	}
	for _, kids := range [][]*node{n.must, n.should} {
		for _, k := range kids {
			if k.scores {
				t.activate(k, n.active)
			}
		}
	}
}

// add adds the scores of an addend to sums, for the candidates in which it is active that are also in.
func (t matching) add(n *node, in []uint64, sums []float32) {
	and(n.active, in)
	switch n.op {
	case OpWord, OpPhrase, opDot:
		if !n.scored {
			t.scoreLeaf(n, n.active)
		}
		for i, c := range n.which {
			if n.active[c/64]>>(c%64)&1 != 0 {
				sums[c] += n.values[i]
			}
		}
	case OpBest:
		t.addBest(n, sums)
	default:
		each(n.active, func(i int) { sums[i] += n.score })
	}
}

// addBest is add for a best.
func (t matching) addBest(n *node, sums []float32) {
	for _, k := range n.best {
		k.sums = grow(k.sums, len(t.docs))
		clear(k.sums)
		if k.listed() || k.op == OpBest || k.op == OpConst || k.op == OpAll {
			t.add(k, n.active, k.sums)
			continue
		}
		and(k.active, n.active)
		for _, a := range k.addend {
			t.add(a, k.active, k.sums)
		}
	}
	each(n.active, func(i int) { sums[i] += n.bestOf(i) })
}

// bestOf returns the score of a best for a candidate that it matches.
func (n *node) bestOf(i int) float32 {
	has := func(k *node) bool { return k.active[i/64]>>(i%64)&1 != 0 }
	var best *node
	for _, k := range n.best {
		if has(k) && (best == nil || k.sums[i] > best.sums[i]) {
			best = k
		}
	}
	others := float32(0)
	for _, k := range n.best {
		if k != best && has(k) {
			others += k.sums[i]
		}
	}
	return float32(best.sums[i] + float32(n.tie*others))
}

// scoreLeaf sets n.values to the scores of the candidates that a leaf's list has; unless of is nil, it drops those that
// are not in it.
func (t matching) scoreLeaf(n *node, of []uint64) {
	if of != nil {
		kept := 0
		for i, c := range n.which {
			if of[c/64]>>(c%64)&1 != 0 {
				n.which[kept], n.at[kept] = c, n.at[i]
				kept++
			}
		}
		n.which, n.at = n.which[:kept], n.at[:kept]
	}
	r, m, l := t.run, &t.look, n.list
	n.scored = true
	n.values = bm25.Grow(n.values, len(n.which))
	if len(n.which) == 0 {
		return
	}
	if n.op == opDot {
		n.scoresOf(n.values, n.at)
		return
	}
	if err := m.readFreqs(l, n.at); err != nil {
		r.fail(format.Locate(err, r.Place(l)))
		clear(n.values)
		return
	}
	t.normsOf(n)
	l.ScoreNorms(n.values, m.freqs)
}

// normsOf sets n.values to the norms of the candidates that a leaf's list has.
func (t matching) normsOf(n *node) {
	in := n.list.In
	if t.normed != in && 2*len(n.which) >= len(t.docs) {
		t.normed, t.norms = in, bm25.Grow(t.norms, len(t.docs))
		in.Norms(t.norms, t.docs)
	}
	if t.normed == in {
		for i, c := range n.which {
			n.values[i] = t.norms[c]
		}
		return
	}
	docs := t.look.own[:0]
	for _, c := range n.which {
		docs = append(docs, t.docs[c])
	}
	t.look.own = docs
	in.Norms(n.values, docs)
}
