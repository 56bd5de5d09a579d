package algorithm

import (
	"cmp"
	"math"
	"slices"
)

// plan chooses the sources: lists and sets such that every match that can pass the threshold is in one of them.
func (t *tree) plan() {
	t.planned = t.run.Top.Prune
	if t.words {
		summed{t}.planWords()
		return
	}
	for _, n := range t.sources {
		n.source = false
	}
	t.sources = t.sources[:0]
	t.choose(t.root, float64(t.planned))
	slices.SortFunc(t.sources, func(a, b *node) int {
		if da, db := a.op == opDot, b.op == opDot; da != db { // Dots last: of documents in no list before, few score enough in them
			if db {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.bound, a.bound)
	})
	t.needs()
	rest := t.root.bound
	for _, n := range t.sources {
		if n.adds() {
			rest -= n.bound
		}
	}
	t.learns = t.planned >= 0 && rest <= float64(t.planned)
	summed{t}.planSum()
}

// coarsen rounds the bounds of n, the root of a tree, and of what is within it up to multiples of one number, so that their sums, and what is left of a sum without some of them, have no
// rounding errors. Those of vectors may be 2^90 times others, which are nothing beside them otherwise.
func (n *node) coarsen() {
	if _, exp := math.Frexp(n.bound); n.bound > 0 && n.bound <= math.MaxFloat64 {
		n.coarsenTo(math.Ldexp(1, exp-grainBits))
	}
}

// grainBits is how many bits a bound has at most. Those that float64 has more are for sums: what the alternatives of a best add up to
// may be more than the bound of the tree.
const grainBits = 40

// coarsenTo rounds the bounds of n and of what is within it up to multiples of grain.
func (n *node) coarsenTo(grain float64) {
	switch n.op {
	case OpBool:
		n.bound = 0
		for _, k := range n.kids {
			k.coarsenTo(grain)
			n.bound += k.bound
		}
		return
	case OpBest:
		most, sum := 0.0, 0.0
		for _, k := range n.kids {
			k.coarsenTo(grain)
			most, sum = max(most, k.bound), sum+k.bound
		}
		if n.bound = 0; n.scores {
			n.bound = most + float64(n.tie)*(sum-most)
		}
	}
	n.bound = math.Ceil(n.bound/grain) * grain
}

// adds reports whether n is a leaf whose score adds to that of the root.
func (n *node) adds() bool { return n.listed() && n.scores && !n.inBest }

// listed reports whether n is a leaf whose matches have frequencies.
func (n *node) listed() bool { return n.op == OpWord || n.op == OpPhrase || n.op == opDot }

// needs sets what documents need of each source, given that no source before has them.
func (t *tree) needs() {
	for i, n := range t.sources {
		if n.need = -1; t.planned >= 0 && i < mostNeeds && n.listed() && n.scores {
			t.root.without()
			n.need = max(n.needed(float64(t.planned)), -1)
		}
		n.before = true
	}
	for _, n := range t.sources {
		n.before = false
	}
}

// mostNeeds is how many sources at most leave out blocks.
const mostNeeds = 64

// without bounds the scores in n, and in the nodes below, of documents in no source before.
func (n *node) without() {
	switch n.rest, n.can = n.bound, !n.before; n.op {
	case OpBool:
		n.rest = 0
		for _, k := range n.must {
			k.without()
			n.rest += k.rest
			n.can = n.can && k.can
		}
		some := 0
		for _, k := range n.should {
			if k.without(); k.can {
				n.rest += k.rest
				some++
			}
		}
		n.can = n.can && some >= n.atLeast
	case OpBest:
		most, sum, some := 0.0, 0.0, false
		for _, k := range n.kids {
			if k.without(); k.can {
				most, sum, some = max(most, k.rest), sum+k.rest, true
			}
		}
		n.rest, n.can = most+float64(n.tie)*(sum-most), some
	}
	if !n.can {
		n.rest = 0
	}
}

// needed returns what documents in no source before must score more than in n if they must score more than planned. It is
// negative if they need not match it.
func (n *node) needed(planned float64) float64 {
	p := n.up
	if p == nil {
		return planned
	}
	need := p.needed(planned)
	if p.op == OpBest {
		return p.neededOf(n, need)
	}
	if !p.can {
		return math.Inf(1)
	}
	for _, kids := range [][]*node{p.must, p.should} {
		for _, k := range kids {
			if k != n {
				need -= k.rest
			}
		}
	}
	return need
}

// neededOf is needed for an alternative of a best of which documents need so much.
func (n *node) neededOf(alternative *node, need float64) float64 {
	most, sum, tie := 0.0, 0.0, float64(n.tie)
	for _, k := range n.kids {
		if k != alternative {
			most, sum = max(most, k.rest), sum+k.rest
		}
	}
	switch {
	case most+tie*sum <= need:
		return need - tie*sum
	case tie > 0:
		return (need-most)/tie - (sum - most)
	}
	return -1
}

// choose makes sources of what finds the matches of n that score more than need in it; all of them if that is
// negative.
func (t *tree) choose(n *node, need float64) {
	if n.scores && need >= 0 && n.bound <= need {
		return
	}
	switch n.op {
	case OpConst:
		t.choose(n.kids[0], -1)
	case OpBest:
		e := t.essential(n, need, 1)
		for _, k := range n.should[:e] {
			t.choose(k, n.alone(k, need, e))
		}
	case OpBool:
		t.chooseOf(n, need)
	default:
		n.source = true
		t.sources = append(t.sources, n)
	}
}

// chooseOf is choose for a Bool.
func (t *tree) chooseOf(n *node, need float64) {
	kids, _ := t.cheapest(n, need)
	for _, k := range kids {
		t.choose(k, n.within(k, need))
	}
}

// within returns what the matches of k, of a Bool's nodes, need if those of n do.
func (n *node) within(k *node, need float64) float64 {
	if need < 0 || !k.scores {
		return -1
	}
	return max(need-(n.bound-k.bound), -1)
}

// alone returns what the matches of a best that score more than need in it score more than in one of the first e alternatives
// at least, given what that is for alternative k.
func (n *node) alone(k *node, need float64, e int) float64 {
	if need < 0 || !n.scores {
		return -1
	}
	most, sum, rest, tie := 0.0, 0.0, 0.0, float64(n.tie)
	for i, o := range n.should {
		if sum += o.bound; i >= e {
			most, rest = max(most, o.bound), rest+o.bound
		}
	}
	least := max(need-tie*(sum-k.bound), need/(1+tie*float64(len(n.should)-1))) // if no other scores more
	if tie > 0 && e < len(n.should) {
		least = min(least, (need-most-tie*(rest-most))/(tie*float64(e))) // if one of those left out does
	}
	return max(least, -1)
}

// cheapest returns the nodes of a Bool that find its matches with the least cost: one of those that must match, or all
// but the most expensive of those that should.
func (t *tree) cheapest(n *node, need float64) (kids []*node, cost float64) {
	cost = math.Inf(1)
	for _, all := range [][]*node{n.must, n.filter} {
		for i, k := range all {
			if c := t.costNow(k, n.within(k, need)); c < cost {
				kids, cost = all[i:i+1], c
			}
			if need < 0 {
				break // they are in the order of their costs
			}
		}
	}
	if e := t.essential(n, need, n.atLeast); e >= 0 {
		sum := 0.0
		for _, k := range n.should[:e] {
			sum += t.costNow(k, n.within(k, need))
		}
		if sum < cost {
			kids, cost = n.should[:e], sum
		}
	}
	return kids, cost
}

// costNow estimates how many documents are read to find the matches of n that score more than need.
func (t *tree) costNow(n *node, need float64) float64 {
	switch {
	case need < 0 || !n.scores:
		return float64(n.cost)
	case n.bound <= need:
		return 0
	case n.listed(): // most blocks have bounds well below the list's
		read := 1 - need/n.bound
		return float64(n.cost) * (skipCost + (1-skipCost)*read*read)
	case n.op == OpBool:
		_, cost := t.cheapest(n, need)
		return cost
	case n.op == OpBest:
		sum, e := 0.0, t.essential(n, need, 1)
		for _, k := range n.should[:e] {
			sum += t.costNow(k, n.alone(k, need, e))
		}
		return sum
	}
	return float64(n.cost)
}

// skipCost is what skipping a block costs, compared with reading it.
const skipCost = 1.0 / 16

// essential returns how many of the alternatives of n, of which at least that many must match, are enough to find all
// matches that score more than need: without the most expensive ones that cannot have such a match alone. If none must
// match and there may be such a match without them, it is -1.
func (t *tree) essential(n *node, need float64, atLeast int) int {
	few := len(n.should) - atLeast + 1
	others := 0.0 // what the nodes that must match add at most
	for _, k := range n.must {
		others += k.bound
	}
	switch {
	case atLeast == 0 && (need < 0 || !n.scores || others > need):
		return -1
	case need < 0 || !n.scores:
		return few
	case atLeast == 0:
		few = len(n.should)
	}
	most, sum, e := 0.0, 0.0, len(n.should)
	for ; e > 0; e-- {
		b := n.should[e-1].bound
		most, sum = max(most, b), sum+b
		if n.op == OpBest && most+float64(n.tie)*(sum-most) > need || n.op != OpBest && others+sum > need {
			break
		}
	}
	return min(few, e)
}

// next returns the first document of a source that is not done, or one before it.
func (t *tree) next(n *node) uint32 {
	switch n.op {
	case OpWord:
		return max(n.list.Doc(), n.list.From, t.from)
	case OpPhrase, opDot:
		return n.leaf.next(t.from, n.need)
	case OpSet:
		return n.own.Next(t.from)
	}
	return t.from
}
