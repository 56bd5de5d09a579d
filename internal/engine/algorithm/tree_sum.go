package algorithm

import (
	"math"
	"math/bits"

	"github.com/pinion-index/pinion/internal/engine/bm25"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// Most documents of the sources score too little, whatever else they match. Where all sources score, what their
// documents score at most is added up first, as RangeMaxScore does: in the sources, in the short lists that add to the
// score, and in those that are cached. Only what passes becomes a candidate, and is matched and scored.

// summing is how candidates are chosen by what they score at most.
type summing struct {
	on     bool
	leaves []*node // those that add to the score, and the alternatives of bests, in canonical order

	// The plan.
	lists   []*node // the sources, Dots last, then those that are read where sources have documents
	words   int     // how many of them are sources and no Dots
	first   float32 // what candidates must score more than in these, if there are Dots
	pass    float32 // what candidates must score more than in all lists; negative if that says nothing
	dense   []*node // those looked up after that, with their own pass
	rest    float64 // other lists add at most so much
	restAll float64 // with those in dense
	keep    []*node // what the root must match and has been cached
	drop    []*node // likewise, what it must not match

	best    bestSums
	touched []uint64 // bits by word of the set of candidates
}

// summed is a tree that chooses candidates by what they score at most.
type summed struct{ *tree }

// leavesOf sets the leaves. The order of addends must be known.
func (t summed) leavesOf() {
	all := t.sum.leaves[:0]
	for _, n := range t.addend {
		if n.op != OpBest {
			all = n.leaves(all)
			continue
		}
		for i, k := range n.best {
			from := len(all)
			all = k.leaves(all)
			for _, leaf := range all[from:] {
				leaf.in, leaf.alt = n, i
			}
		}
		n.flat = n.flatBound()
	}
	sortAddends(all)
	t.sum.leaves = all
}

// leaves appends the words and Dots below n that score.
func (n *node) leaves(all []*node) []*node {
	switch {
	case !n.scores:
	case n.op == OpWord || n.op == opDot:
		all = append(all, n)
	case n.op == OpBool || n.op == OpBest:
		for _, k := range n.kids {
			all = k.leaves(all)
		}
	}
	return all
}

// flatBound returns what all below n add up to at most.
func (n *node) flatBound() (sum float64) {
	if n.op != OpBool && n.op != OpBest {
		return n.bound
	}
	for _, k := range n.kids {
		sum += k.flatBound()
	}
	return sum
}

// planSum decides whether to choose candidates by what they score at most, and by which lists.
func (t summed) planSum() {
	s, r := &t.sum, t.run
	s.on = false
	for _, n := range s.leaves {
		n.held, n.added = false, false
	}
	if t.planned < 0 || len(t.sources) == 0 {
		return
	}
	for _, n := range t.sources {
		if n.op != OpWord && n.op != opDot || !n.scores {
			return
		}
	}
	s.on = true
	rest := 0.0
	for _, n := range t.addend {
		rest += n.bound
		n.left = n.flat
	}
	t.chooseBest()
	postings := 0
	s.lists, s.words = append(s.lists[:0], t.sources...), 0
	for _, n := range t.sources {
		n.held, n.added = true, true
		postings += int(n.cost)
		rest -= n.hold()
		if n.op == OpWord {
			s.words++
			s.first = float32Below(float64(t.planned) - rest)
		}
		n.pass = float32Below(float64(t.planned) - rest)
	}
	s.dense = s.dense[:0]
	for _, n := range s.leaves {
		if n.held || n.op == opDot {
			continue
		}
		if l := n.list; l.List().N <= postings && l.Dense == nil {
			n.held, n.added = true, true
			s.lists = append(s.lists, n)
			rest -= n.hold()
		} else if r.dense(l) != nil && (s.best.of == nil || s.best.of.best[n.alt] == n) {
			n.added = true
			s.dense = append(s.dense, n)
		}
	}
	s.pass, s.restAll = float32Below(float64(t.planned)-rest), rest
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
	p := n.in
	if p == nil {
		return n.bound
	}
	before := min(p.left, p.bound)
	p.left -= n.bound
	return before - min(p.left, p.bound)
}

// cached reports whether n is a leaf that is cached, or one of several.
func (t summed) cached(n *node) bool {
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
func (t summed) gatherSums() {
	w, s, c := &t.run.win, &t.sum, &t.run.cand
	if s.words < len(t.sources) {
		t.sumDots()
	} else if t.readSums(); len(s.lists) == 1 && s.best.of == nil {
		c.docs, c.sums = append(c.docs, w.lists[0].docs...), append(c.sums, w.lists[0].scores...)
		c.dropBelow(0, t.lifted(s.pass))
	} else {
		t.sumLists()
	}
	w.members.Clear()
	if s.best.of != nil {
		t.addCached() // while greatest scores are known
		t.sift()
	} else {
		t.sift()
		t.addCached()
	}
	t.enumerateSums(c.docs, c.sums)
	for i, n := range s.lists {
		t.scored(n, &w.lists[i])
	}
	t.set.Clear()
	t.born()
	t.mark()
}

// sift drops the candidates of which filters, static scores or lists that are cached say that they are no hits.
func (t summed) sift() {
	s, c := &t.sum, &t.run.cand
	if t.run.filter.sifted {
		t.run.cand.keepIn(&t.run.filter, t.run.win.lo, t.run.win.hi)
	}
	if t.run.Static != nil {
		statics{t.run}.drop(s.restAll)
	}
	for _, n := range s.keep {
		c.holding(n, 1)
	}
	for _, n := range s.drop {
		c.holding(n, 0)
	}
}

// beginSums makes the window ready for the lists whose scores are added up.
func (t summed) beginSums() {
	w := &t.run.win
	w.lo, w.hi = t.lo, t.hi
	for len(w.lists) < len(t.sum.lists) {
		w.lists = append(w.lists, stretch{})
	}
	w.members.Reset(t.lo, t.hi-1)
	t.run.cand.reset()
}

// readSums reads the lists of the window whose scores are added up.
func (t summed) readSums() {
	t.beginSums()
	r, w, s := t.run, &t.run.win, &t.sum
	sources := len(t.sources)
	needed := len(s.lists)
	if needed == sources {
		for needed--; needed > 0 && t.sources[needed].need < 0; {
			needed--
		}
	}
	for i, n := range s.lists {
		if i >= sources {
			reading{r}.readMembers(n.list, &w.lists[i])
			continue
		}
		t.readSource(n, &w.lists[i])
		if i < needed || s.pass < 0 {
			w.members.Add(w.lists[i].docs)
		}
	}
}

// readSource makes s what a source, a word, has in the window.
func (t summed) readSource(n *node, s *stretch) {
	s.reset()
	reading{t.run}.read(s, reading{t.run}.walk(n.list, t.lo, t.hi, passOf(t.needOf(n)), &t.run.win.members), withScores)
}

// needOf returns what documents of the window need of a source.
func (t summed) needOf(n *node) float64 {
	if n.need < 0 || n.inBest {
		return n.need
	}
	return n.need + t.lift
}

// lifted returns what documents of the window must score more than, given what all must.
func (t summed) lifted(pass float32) float32 {
	if pass < 0 || t.lift == 0 {
		return pass
	}
	return float32Below(float64(pass) + t.lift)
}

// sumDots makes the documents of the sources that may pass candidates, if some are Dots: what the words score is added up
// first, so that a Dot is only asked for the documents that may pass with any score in it, and for those that may pass without the
// words.
func (t summed) sumDots() {
	t.beginSums()
	r, w, s, c := t.run, &t.run.win, &t.sum, &t.run.cand
	words := w.lists[:s.words]
	for i := range words {
		t.readSource(s.lists[i], &words[i])
		if i+1 < len(words) || s.first < 0 {
			w.members.Add(words[i].docs)
		}
	}
	if len(words) > 0 {
		t.sumOf(words, len(words), t.lifted(s.first), len(words) > 1 && s.first >= 0)
	}
	for i := s.words; i < len(t.sources); i++ {
		n, its := s.lists[i], &w.lists[i]
		w.members.Clear()
		w.members.Reset(t.lo, t.hi-1)
		w.members.Add(c.docs)
		t.readDot(n, its)
		c.join(its, &r.other)
		c.dropBelow(0, t.lifted(n.pass))
	}
	w.members.Clear()
	w.members.Reset(t.lo, t.hi-1)
	w.members.Add(c.docs)
	for i := len(t.sources); i < len(s.lists); i++ {
		reading{r}.readMembers(s.lists[i].list, &w.lists[i])
		c.update(&w.lists[i])
	}
	c.dropBelow(0, t.lifted(s.pass))
}

// readDot makes s what a Dot, a source, has in the window.
func (t summed) readDot(n *node, s *stretch) {
	s.reset()
	s.docs, n.at = n.leaf.read(s.docs, n.at[:0], t.lo, t.hi, t.needOf(n), &t.run.win.members)
	s.scores = extend(s.scores[:0], len(s.docs))
	n.scoresOf(s.scores, n.at)
}

// sumLists makes the documents of the sources that may pass candidates.
func (t summed) sumLists() {
	w, s := &t.run.win, &t.sum
	if w.acc == nil {
		w.acc = make([]float32, subWindow)
	}
	if s.best.of != nil {
		t.sumBest()
		return
	}
	t.sumOf(w.lists[:len(s.lists)], len(t.sources), t.lifted(s.pass), false)
}

// sumOf makes the documents of the first e lists that score more than pass in all candidates, in any order unless they are to be sorted.
func (t summed) sumOf(lists []stretch, e int, pass float32, sorted bool) {
	t.run.sum(lists, e, func() float32 { return pass }, func(at int, lo uint32) {
		if sorted {
			t.run.cand.sort(at, lo)
		}
	})
}

// addCached adds the scores of the cached lists, and drops the candidates that cannot pass.
func (t summed) addCached() {
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
		lookups{r}.addDense(n.list, n.list.Dense)
		if t.sum.best.of != nil {
			t.addBestCached(n)
		} else {
			c.dropNormed(t.lifted(n.pass))
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
func (t summed) enumerateSums(docs []uint32, sums []float32) {
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
func (t summed) scored(n *node, s *stretch) {
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
