package gpu

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/terms"
)

// clauses say which documents match a tree of terms, and how they score, as kernels test it (kernels/clauses.h): what each term
// adds to the state of a document, and a test of the state.
type clauses struct {
	of      []kernels.Clause // by term
	test    kernels.Test
	not     uint32    // a bit that no match has
	counted []several // some of several terms must match
	drivers []int     // terms of which each match has one; nil if sums are several
}

// several are the terms that add so much to the state, of which that many must match.
type several struct {
	add   uint32
	least int
}

// clauseBuilder makes clauses of a tree whose terms all score in each document that matches, or in each that matches one of the
// alternatives of a best: all else depends on parts of the tree that match in some documents.
type clauseBuilder struct {
	words  []kernels.Clause // by word of the tree
	test   kernels.Test
	common [2]uint32                    // mask and want of all sums
	used   int                          // bits of the state
	not    [1 + kernels.MostSums]uint32 // by sum, of all first, the bit of what must not match; 0 until there is some
	counts []several
	best   bool // sums are those of alternatives
}

// beside are the terms that belong to no sum: those of a best's node that are around it.
const beside = -1

// build makes clauses of a tree over so many words. ok is false if they cannot say what it matches and scores.
func (b *clauseBuilder) build(e *algorithm.Expr, words int) (ok bool) {
	b.words = make([]kernels.Clause, words)
	for i := range b.words {
		b.words[i].Sum = kernels.NoSum - 1
	}
	if !b.require(e, beside, true) {
		return false
	}
	if b.not[0] == 0 {
		b.not[0] = b.bit()
		b.want(beside, b.not[0], 0)
	}
	if b.used > 32 {
		return false
	}
	for i := range b.words {
		switch w := &b.words[i]; {
		case w.Sum != kernels.NoSum-1:
		case b.best: // it scores beside the best
			return false
		default:
			w.Sum = 0
		}
	}
	b.test.Sums = max(b.test.Sums, 1)
	for j := range b.test.Sums {
		b.test.Mask[j], b.test.Want[j] = b.test.Mask[j]|b.common[0], b.test.Want[j]|b.common[1]
		if b.test.Want[j] == 0 { // nothing must match
			return false
		}
	}
	return true
}

// bit returns another bit of the state. More than there are make build fail.
func (b *clauseBuilder) bit() uint32 {
	b.used++
	return 1 << (b.used - 1)
}

// want makes bits of the state part of the test of a sum, or of all.
func (b *clauseBuilder) want(sum int, mask, want uint32) {
	if sum == beside {
		b.common[0], b.common[1] = b.common[0]|mask, b.common[1]|want
		return
	}
	b.test.Mask[sum], b.test.Want[sum] = b.test.Mask[sum]|mask, b.test.Want[sum]|want
}

// word notes what a word sets and adds, and which sum it scores in.
func (b *clauseBuilder) word(e *algorithm.Expr, sum int, scores bool, set, add uint32) {
	w := &b.words[e.Word]
	w.Set, w.Add = set, add
	switch {
	case !scores:
		w.Sum = kernels.NoSum
	case sum != beside:
		w.Sum = uint32(sum)
	}
}

// require adds what must match.
func (b *clauseBuilder) require(e *algorithm.Expr, sum int, scores bool) bool {
	switch e.Op {
	case algorithm.OpWord:
		return b.atLeast([]algorithm.Expr{*e}, 1, sum, scores)
	case algorithm.OpBest:
		return scores && sum == beside && b.alternatives(e)
	case algorithm.OpBool:
	default:
		return false
	}
	must, kids := e.Kids[:e.Must], e.Kids[e.Must:]
	should, kids := kids[:e.Should], kids[e.Should:]
	for i := range must {
		if !b.require(&must[i], sum, scores) {
			return false
		}
	}
	if !b.atLeast(should, e.AtLeast, sum, scores) {
		return false
	}
	for i := range kids {
		if i < e.Not && !b.exclude(&kids[i], sum) || i >= e.Not && !b.require(&kids[i], sum, false) {
			return false
		}
	}
	return true
}

// atLeast adds nodes of which so many must match.
func (b *clauseBuilder) atLeast(nodes []algorithm.Expr, least, sum int, scores bool) bool {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(e algorithm.Expr) bool { return e.Op == algorithm.OpNone })
	word := func(e algorithm.Expr) bool { return e.Op == algorithm.OpWord }
	switch n := len(nodes); {
	case n < least:
		return false
	case least == n && (n > 1 || n == 1 && !word(nodes[0])):
		return !slices.ContainsFunc(nodes, func(e algorithm.Expr) bool { return !b.require(&e, sum, scores) })
	case slices.ContainsFunc(nodes, func(e algorithm.Expr) bool { return !word(e) }):
		return false
	}
	set, add := uint32(0), uint32(0)
	switch {
	case least == 1:
		set = b.bit()
		b.want(sum, set, set)
	case least > 1: // a counter, which sets its highest bit when it comes to least
		width := bits.Len(uint(len(nodes) - 1))
		if b.used+width >= 32 {
			return false
		}
		add = b.bit()
		b.used += width - 1
		top := b.bit()
		b.test.Bias += top - uint32(least)*add
		b.counts = append(b.counts, several{add, least})
		b.want(sum, top, top)
	}
	for i := range nodes {
		b.word(&nodes[i], sum, scores, set, add)
	}
	return true
}

// exclude adds what must not match.
func (b *clauseBuilder) exclude(e *algorithm.Expr, sum int) bool {
	switch {
	case e.Op == algorithm.OpNone:
		return true
	case e.Op == algorithm.OpBool && e.AtLeast == 1 && e.Should == len(e.Kids):
		return !slices.ContainsFunc(e.Kids, func(e algorithm.Expr) bool { return !b.exclude(&e, sum) })
	case e.Op != algorithm.OpWord:
		return false
	}
	bit := &b.not[1+sum]
	if *bit == 0 {
		*bit = b.bit()
	}
	b.want(sum, *bit, 0)
	b.word(e, sum, false, *bit, 0)
	return true
}

// alternatives adds a best.
func (b *clauseBuilder) alternatives(e *algorithm.Expr) bool {
	if b.best || len(e.Kids) > kernels.MostSums || len(e.Weights) > 0 {
		return false
	}
	if e.Tie == 0 && !slices.ContainsFunc(e.Kids, func(e algorithm.Expr) bool { return e.Op != algorithm.OpWord }) {
		b.best, b.test.Best = true, 1 // one sum, which is the greatest score
		for i := range e.Kids {
			b.words[e.Kids[i].Word].Sum = 0
		}
		return b.atLeast(e.Kids, 1, beside, true)
	}
	b.best, b.test.Sums, b.test.Tie = true, uint32(len(e.Kids)), e.Tie
	for j := range e.Kids {
		if !b.require(&e.Kids[j], j, true) {
			return false
		}
	}
	return true
}

// clausesOf returns the clauses of a tree whose terms are resolved, or nil if they cannot say what it matches. tree may be nil: then one of
// the terms must match.
func clausesOf(tree *algorithm.Expr, found []terms.Term[known]) *clauses {
	c := &clauses{of: make([]kernels.Clause, len(found))}
	if tree == nil {
		for i := range c.of {
			c.of[i] = kernels.Clause{Set: 1}
		}
		c.test.Sums, c.test.Mask[0], c.test.Want[0], c.not = 1, 3, 1, 2
		return c
	}
	b := new(clauseBuilder)
	if !b.build(tree, len(found)) {
		return nil
	}
	c.test, c.not, c.counted = b.test, b.not[0], b.counts
	for i := range found {
		c.of[i] = b.words[found[i].Group-1]
	}
	c.order()
	return c
}

// order puts the sums into the order of their first terms, in which others than the greatest are added up. Those without come last.
func (c *clauses) order() {
	var to [kernels.MostSums]uint32
	test, next, placed := c.test, uint32(0), uint32(0)
	place := func(sum uint32) uint32 {
		if placed>>sum&1 == 0 {
			placed |= 1 << sum
			to[sum] = next
			c.test.Mask[next], c.test.Want[next] = test.Mask[sum], test.Want[sum]
			next++
		}
		return to[sum]
	}
	for i := range c.of {
		if w := &c.of[i]; w.Sum != kernels.NoSum {
			w.Sum = place(w.Sum)
		}
	}
	for sum := range test.Sums {
		place(sum)
	}
}

// matchable reports whether a document that has all terms for which has is true, but none that excludes it, matches.
func (c *clauses) matchable(has func(term int) bool) bool {
	set, add := uint32(0), c.test.Bias
	for i := range c.of {
		if has(i) {
			set, add = set|c.of[i].Set, add+c.of[i].Add
		}
	}
	for _, want := range c.test.Want[:c.test.Sums] {
		if (set+add)&want == want {
			return true
		}
	}
	return false
}

// settle drops the terms that do not occur, and says of the others what must have come before them. ok is false if nothing can match.
func (c *clauses) settle(occurs func(term int) bool) (ok bool) {
	if !c.matchable(occurs) {
		return false
	}
	kept := c.of[:0]
	for i := range c.of {
		if occurs(i) {
			kept = append(kept, c.of[i])
		}
	}
	if c.of = kept; c.test.Sums == 1 {
		c.precede(c.of)
	}
	return true
}

// precede says of terms, in the order in which they come, what must have come before them.
func (c *clauses) precede(of []kernels.Clause) {
	for left := c.test.Want[0] &^ c.counters(); left != 0; left &= left - 1 {
		bit := left & -left
		last := len(of) - 1
		for last >= 0 && of[last].Set&bit == 0 {
			last--
		}
		for i := last + 1; i < len(of); i++ {
			of[i].Before |= bit
		}
	}
}

// drive chooses the drivers: all of the terms of which one must match, or of those of which several must as many as leave too few. length
// returns the number of postings of a term.
func (c *clauses) drive(length func(term int) int64) {
	if c.test.Sums > 1 {
		return
	}
	least := int64(math.MaxInt64)
	choose := func(in func(w *kernels.Clause) bool, spare int) {
		var some []int
		for i := range c.of {
			if in(&c.of[i]) {
				some = append(some, i)
			}
		}
		all := int64(0)
		some = some[:len(some)-spare]
		for _, i := range some {
			all += length(i)
		}
		if all < least {
			c.drivers, least = some, all
		}
	}
	for left := c.test.Want[0] &^ c.counters(); left != 0; left &= left - 1 {
		choose(func(w *kernels.Clause) bool { return w.Set&left&-left != 0 }, 0)
	}
	for _, n := range c.counted {
		choose(func(w *kernels.Clause) bool { return w.Add == n.add }, n.least-1)
	}
}

// counters returns the bits that no term sets.
func (c *clauses) counters() uint32 {
	all := uint32(0)
	for i := range c.of {
		all |= c.of[i].Set
	}
	return ^all
}
