package algorithm

import (
	"cmp"
	"math"
	"slices"

	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// plan chooses the sources: lists and sets such that every match that can pass the threshold is in one of them.
func (t *tree) plan() {
	t.planned = t.run.Top.Prune
	for _, n := range t.sources {
		n.source = false
	}
	t.sources = t.sources[:0]
	t.choose(t.root, float64(t.planned))
	slices.SortFunc(t.sources, func(a, b *node) int { return cmp.Compare(b.bound, a.bound) })
	t.needs()
	rest := t.root.bound
	for _, n := range t.sources {
		if n.adds() {
			rest -= n.bound
		}
	}
	t.learns = t.planned >= 0 && rest <= float64(t.planned)
	t.planSum()
}

// adds reports whether n is a leaf whose score adds to that of the root.
func (n *node) adds() bool { return n.listed() && n.scores && !n.inBest }

// listed reports whether n is a leaf whose matches have frequencies.
func (n *node) listed() bool { return n.op == OpWord || n.op == OpPhrase }

// needs sets what documents need of each source, given that no source before has them.
func (t *tree) needs() {
	for i, n := range t.sources {
		n.need = -1
		if t.planned >= 0 && i < mostNeeds && n.listed() && n.scores && (!n.inBest || n.parent != nil) {
			left, _ := t.root.without(t.sources[:i])
			if need := float64(t.planned) - left; n.inBest {
				its, _ := n.parent.without(t.sources[:i])
				n.need = n.needOf(need+its, t.sources[:i])
			} else {
				n.need = need + n.bound
			}
		}
	}
}

// mostNeeds is how many sources at most leave out blocks.
const mostNeeds = 64

// without returns a bound of the scores in n of documents in none of some sources. ok is false if n does not match them.
func (n *node) without(sources []*node) (bound float64, ok bool) {
	switch n.op {
	case OpBool:
		for _, k := range n.must {
			b, ok := k.without(sources)
			if !ok {
				return 0, false
			}
			bound += b
		}
		some := 0
		for _, k := range n.should {
			if b, ok := k.without(sources); ok {
				bound += b
				some++
			}
		}
		return bound, some >= n.atLeast
	case OpBest:
		most, sum := 0.0, 0.0
		for _, k := range n.kids {
			if b, has := k.without(sources); has {
				most, sum, ok = max(most, b), sum+b, true
			}
		}
		return most + float64(n.tie)*(sum-most), ok
	}
	return n.bound, !n.source || !slices.Contains(sources, n)
}

// needOf is what documents need of n, an alternative of a best of which they need so much, if sources before do not have
// them.
func (n *node) needOf(need float64, before []*node) float64 {
	most, sum, tie := 0.0, 0.0, float64(n.parent.tie)
	for _, k := range n.parent.kids {
		if k != n && !slices.Contains(before, k) {
			most, sum = max(most, k.bound), sum+k.bound
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
		for _, k := range n.should[:t.essential(n, need, 1)] {
			t.choose(k, -1)
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
		sum := 0.0
		for _, k := range n.should[:t.essential(n, need, 1)] {
			sum += float64(k.cost)
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
	case OpPhrase:
		return n.phrase.next(t.from)
	case OpSet:
		if n.own != nil {
			return n.own.Next(t.from)
		}
		base := t.run.Part.Seg.Base()
		if next := n.set.NextValue(base + t.from); next >= 0 {
			return uint32(next) - base
		}
		return posting.End
	}
	return t.from
}
