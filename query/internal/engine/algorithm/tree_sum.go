package algorithm

import (
	"math"
	"math/bits"

	"github.com/pinion-index/pinion/query/internal/engine/bm25"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// Most documents of the sources score too little, whatever else they match. Where all sources score, what their
// documents score at most is added up first, as RangeMaxScore does: in the sources, in the short lists that add to the
// score, and in those that are cached. Only what passes becomes a candidate, and is matched and scored.

// summing is how candidates are chosen by what they score at most.
type summing struct {
	on     bool
	leaves []*node // those that add to the score, and the alternatives of bests, in canonical order

	// The plan.
	lists []*node // the sources, then those that are read where sources have documents
	pass  float32 // what candidates must score more than in them; negative if that says nothing
	dense []*node // those looked up after that, with their own pass
	rest  float64 // other lists add at most so much
	keep  []*node // what the root must match and has been cached
	drop  []*node // likewise, what it must not match

	best    bestSums
	touched []uint64 // bits by word of the set of candidates
}

// leavesOf sets the leaves. The order of addends must be known.
func (t *tree) leavesOf() {
	all := t.sum.leaves[:0]
	for _, n := range t.addend {
		switch n.op {
		case OpWord:
			all = append(all, n)
		case OpBest:
			for _, k := range n.best {
				if k.op == OpWord && !n.dot {
					all = append(all, k)
				}
			}
		}
	}
	sortAddends(all)
	t.sum.leaves = all
}

// planSum decides whether to choose candidates by what they score at most, and by which lists.
func (t *tree) planSum() {
	s, r := &t.sum, t.run
	s.on = false
	for _, n := range s.leaves {
		n.held, n.added = false, false
	}
	if t.planned < 0 || len(t.sources) == 0 {
		return
	}
	for _, n := range t.sources {
		if n.op != OpWord || !n.scores || n.inBest && n.parent == nil {
			return
		}
	}
	s.on = true
	rest := 0.0
	for _, n := range t.addend {
		rest += n.bound
		n.left = 0
		for _, k := range n.best {
			n.left += k.bound
		}
	}
	postings := 0
	s.lists = append(s.lists[:0], t.sources...)
	for _, n := range t.sources {
		n.held, n.added = true, true
		postings += n.list.List().N
		rest -= n.hold()
	}
	s.dense = s.dense[:0]
	for _, n := range s.leaves {
		if n.held {
			continue
		}
		if l := n.list; l.List().N <= postings && l.Dense == nil {
			n.held, n.added = true, true
			s.lists = append(s.lists, n)
			rest -= n.hold()
		} else if r.dense(l) != nil {
			n.added = true
			s.dense = append(s.dense, n)
		}
	}
	s.pass = float32Below(float64(t.planned) - rest)
	for _, n := range s.dense {
		rest -= n.hold()
		n.pass = float32Below(float64(t.planned) - rest)
	}
	s.rest = rest
	t.planBest()
	s.keep, s.drop = s.keep[:0], s.drop[:0]
	if t.root.op != OpBool {
		return
	}
	for _, kids := range [][]*node{t.root.must, t.root.filter} {
		for _, n := range kids {
			if t.cached(n) {
				s.keep = append(s.keep, n)
			}
		}
	}
	for _, n := range t.root.nots {
		if t.cached(n) {
			s.drop = append(s.drop, n)
		}
	}
}

// hold returns by how much less the other lists add at most once what leaf n adds is known.
func (n *node) hold() float64 {
	p := n.parent
	if p == nil {
		return n.bound
	}
	before := min(p.left, p.bound)
	p.left -= n.bound
	return before - min(p.left, p.bound)
}

// cached reports whether n is a leaf that is cached, or one of several.
func (t *tree) cached(n *node) bool {
	switch {
	case n.source || n.held:
		return false
	case n.op == OpWord:
		return t.run.dense(n.list) != nil
	case n.op != OpBest && (n.op != OpBool || len(n.should) != len(n.kids) || n.atLeast != 1):
		return false
	}
	for _, k := range n.kids {
		if k.op != OpWord || k.source || k.held || t.run.dense(k.list) == nil {
			return false
		}
	}
	return true
}

// gatherSums makes the documents of the sources in the window that may pass the threshold the candidates.
func (t *tree) gatherSums() {
	w, s, c := &t.run.win, &t.sum, &t.run.cand
	t.readSums()
	if c.reset(); len(s.lists) == 1 && s.best.of == nil {
		c.docs, c.sums = append(c.docs, w.lists[0].docs...), append(c.sums, w.lists[0].scores...)
		c.dropBelow(0, s.pass)
	} else {
		t.sumLists()
	}
	w.members.Clear()
	if t.run.filter.sifted && s.best.of == nil {
		t.run.keepFiltered()
	}
	for _, n := range s.keep {
		c.holding(n, 1)
	}
	for _, n := range s.drop {
		c.holding(n, 0)
	}
	t.addCached()
	if t.run.filter.sifted && s.best.of != nil {
		t.run.keepFiltered()
	}
	t.enumerateSums(c.docs, c.sums)
	for i, n := range s.lists {
		t.scored(n, &w.lists[i])
	}
	t.set.Clear()
	t.born()
	t.mark()
}

// readSums reads the lists of the window whose scores are added up.
func (t *tree) readSums() {
	r, w, s := t.run, &t.run.win, &t.sum
	w.lo, w.hi = t.lo, t.hi
	for len(w.lists) < len(s.lists) {
		w.lists = append(w.lists, stretch{})
	}
	sources := len(t.sources)
	needed := len(s.lists)
	if needed == sources {
		for needed--; needed > 0 && t.sources[needed].need < 0; {
			needed--
		}
	}
	w.members.Reset(t.lo, t.hi-1)
	for i, n := range s.lists {
		if i >= sources {
			r.readMembers(n.list, &w.lists[i])
			continue
		}
		pass := float32(-1)
		if n.need >= 0 {
			pass = float32Below(n.need)
		}
		n.list.From = max(n.list.From, t.lo)
		r.read(n.list, &w.lists[i], pass)
		if i < needed || s.pass < 0 {
			w.members.Add(w.lists[i].docs)
		}
	}
}

// sumLists makes the documents of the sources that may pass candidates.
func (t *tree) sumLists() {
	w, s, c := &t.run.win, &t.sum, &t.run.cand
	if w.acc == nil {
		w.acc = make([]float32, subWindow)
	}
	if s.best.of != nil {
		t.sumBest()
		return
	}
	lists, sources := w.lists[:len(s.lists)], w.lists[:len(t.sources)]
	for lo := first(sources); lo != posting.End; lo = first(sources) {
		for i := range lists {
			w.add(&lists[i], lo)
		}
		if s.pass < 0 {
			w.collectMembers(lo, c)
		} else {
			for i := range sources {
				w.collect(&sources[i], lo, s.pass, c)
			}
		}
		for i := range lists {
			lists[i].at = lists[i].end
		}
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

// addCached adds the scores of the cached lists, and drops the candidates that cannot pass.
func (t *tree) addCached() {
	r, c := t.run, &t.run.cand
	var normed *posting.Field // whose norms the candidates have
	for _, n := range t.sum.dense {
		if len(c.docs) == 0 {
			return
		}
		if l := n.list; normed != l.In {
			normed = l.In
			c.norms = bm25.Grow(c.norms, len(c.docs))
			normed.Norms(c.norms, c.docs)
		}
		r.addDense(n.list, n.list.Dense)
		if t.sum.best.of != nil {
			t.addBestCached(n)
		} else {
			c.dropNormed(n.pass)
		}
	}
}

// holding keeps the candidates that a node of cached lists holds, if is is 1, or those that it does not, if it is 0.
func (c *candidates) holding(n *node, is int) {
	k, docs, sums := 0, c.docs, c.sums[:len(c.docs)]
	for i, doc := range docs {
		held := 0
		if n.op == OpWord {
			held = n.list.Dense.Holds(doc)
		}
		for _, o := range n.kids {
			held |= o.list.Dense.Holds(doc)
		}
		docs[k], sums[k] = doc, sums[i]
		k += 1 ^ held ^ is
	}
	c.docs, c.sums = docs[:k], sums[:k]
}

// enumerateSums makes docs, which are in any order and known to score sums, the candidates and members of t.set. It counts
// those before them in t.ranks, for the words that have any.
func (t *tree) enumerateSums(docs []uint32, sums []float32) {
	t.set.Reset(t.lo, t.hi-1)
	t.set.Add(docs)
	lo, words := t.set.Contents()
	touched := grow(t.sum.touched, (len(words)+63)/64)
	clear(touched)
	for _, doc := range docs {
		if j := (doc - lo) / 64; int(j) < len(words) { // a damaged list may have others
			touched[j/64] |= 1 << (j % 64)
		}
	}
	t.sum.touched = touched
	t.docs, t.ranks = t.docs[:0], grow(t.ranks, len(words))
	each(touched, func(i int) {
		t.ranks[i] = uint32(len(t.docs))
		for w := words[i]; w != 0; w &= w - 1 {
			t.docs = append(t.docs, lo+uint32(i*64+bits.TrailingZeros64(w)))
		}
	})
	t.known = grow(t.known, len(t.docs))
	clear(t.known)
	for i, doc := range docs {
		if j := doc - lo; int(j/64) < len(words) {
			t.known[t.ranks[j/64]+uint32(bits.OnesCount64(words[j/64]&(1<<(j%64)-1)))] = sums[i]
		}
	}
}

// scored makes the candidates that a list of the window has known to its leaf, with their scores.
func (t *tree) scored(n *node, s *stretch) {
	lo, words := t.set.Contents()
	n.which, n.at, n.values, n.scored = n.which[:0], n.at[:0], n.values[:0], true
	if len(t.docs) == 0 {
		return
	}
	for from := 0; from < len(s.docs); from += maxMatch {
		docs := s.docs[from:min(from+maxMatch, len(s.docs))]
		for _, f := range t.set.Match(docs) {
			j := docs[f] - lo
			n.which = append(n.which, t.ranks[j/64]+uint32(bits.OnesCount64(words[j/64]&(1<<(j%64)-1))))
			n.values = append(n.values, s.scores[from+int(f)])
		}
	}
}

// maxMatch is how many documents Set.Match takes.
const maxMatch = math.MaxUint16 + 1
