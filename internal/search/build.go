package search

import (
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
)

// build adds a node, whose words it multiplies by boost. It returns false if the node is as good as absent.
func (b *builder) build(n query.Node, boost float64) (x part, ok bool, err error) {
	if err := b.enter(); err != nil {
		return x, false, err
	}
	switch n := n.(type) {
	case query.Term:
		return b.term(&n, boost)
	case query.Match:
		return b.match(&n, boost)
	case query.Bool:
		return b.bool(&n, boost, "Must", "Should")
	case query.And:
		if len(n) == 0 || onlyMatches(n) {
			return b.matched(n)
		}
		return b.bool(&query.Bool{Must: n}, boost, "And", "")
	case query.Or:
		if len(n) == 0 || onlyMatches(n) {
			return b.matched(n)
		}
		return b.bool(&query.Bool{Should: n}, boost, "", "Or")
	case query.In, query.Range, query.Exists, query.IDs, query.Docs, query.Not:
		return b.matched(n)
	case query.Best:
		return b.best(&n, boost)
	case query.Const:
		score, err := b.score(n.Score, boost)
		if err != nil {
			return x, false, err
		}
		defer b.hush()()
		kid, ok, err := b.kid("Node", -1, n.Node, 1)
		if kid.op == algorithm.OpConst {
			kid = kid.must[0]
		}
		return part{op: algorithm.OpConst, must: []part{kid}, score: score}, ok, err
	case query.All:
		score, err := b.score(n.Score, boost)
		return part{op: algorithm.OpAll, score: score}, true, err
	case query.Dot:
		return b.dot(&n, boost)
	case query.Nearest:
		return b.nearest(&n, boost)
	case query.Similarity:
		return b.similarity(&n, boost)
	case query.Phrase, query.Near:
		return phrasingOf(n, b).build(boost)
	case query.Prefix, query.Wildcard, query.Regexp, query.Fuzzy:
		return b.expand(expansionOf(n), boost)
	}
	return x, false, b.errorf("a node of type %T", n)
}

// kid builds a node at a place in the current one.
func (b *builder) kid(role string, i int, n query.Node, boost float64) (part, bool, error) {
	b.path = append(b.path, step{role, i})
	x, ok, err := b.build(n, boost)
	b.path = b.path[:len(b.path)-1]
	return x, ok, err
}

// kids builds nodes, but for those that skip reports, unless that is nil. With join, those that are combined as it says
// become part of the others, and equal words are one.
func (b *builder) kids(role string, nodes []query.Node, boost float64, join func(*part) []part, skip func(query.Node) bool) (all []part, err error) {
	for i, n := range nodes {
		if skip != nil && skip(n) {
			continue
		}
		x, ok, err := b.kid(role, i, n, boost)
		switch {
		case err != nil:
			return nil, err
		case !ok:
		case join == nil:
			all = append(all, x)
		default:
			if its := join(&x); its != nil {
				all = append(all, its...)
			} else {
				all = append(all, x)
			}
		}
	}
	if join != nil {
		all = merge(all)
	}
	return all, nil
}

// bool builds a Bool, whose Must and Should errors name so.
func (b *builder) bool(n *query.Bool, boost float64, must, should string) (x part, ok bool, err error) {
	if n.AtLeast < 0 {
		return x, false, b.errorf("AtLeast is %d", n.AtLeast)
	}
	if boost, err = b.boost(n.Boost, boost); err != nil {
		return x, false, err
	}
	x.op, x.atLeast = algorithm.OpBool, n.AtLeast
	restrict := restrictions{b: b}
	if err := restrict.add(restricting{role: must, nodes: n.Must, which: onlyMatches}); err != nil {
		return x, false, err
	}
	if x.must, err = b.kids(must, n.Must, boost, conjunction, onlyMatches); err != nil {
		return x, false, err
	}
	join := disjunction
	if n.AtLeast > 1 {
		join = func(*part) []part { return nil }
	}
	if x.should, err = b.kids(should, n.Should, boost, join, nil); err != nil {
		return x, false, err
	}
	similar := append(separate(&x.must), separate(&x.should)...)
	if err := restrict.add(restricting{role: "Filter", nodes: n.Filter}); err != nil {
		return x, false, err
	}
	if x.atLeast == 0 && len(x.must) == 0 && !restrict.some() {
		x.atLeast = 1 // also if what must not match restricts
	}
	if err := restrict.add(restricting{role: "MustNot", nodes: n.MustNot, which: where.ByColumns, not: true}); err != nil {
		return x, false, err
	}
	end := b.hush()
	if x.not, err = b.kids("MustNot", n.MustNot, 1, disjunction, where.ByColumns); err != nil {
		return x, false, err
	}
	end()
	if x.filter, err = restrict.built(); err != nil {
		return x, false, err
	}
	if len(similar) > 0 {
		return x.with(similar), true, nil
	}
	return x.simplified()
}

func (b *builder) best(n *query.Best, boost float64) (x part, ok bool, err error) {
	if !(n.Tie >= 0 && n.Tie <= 1) {
		return x, false, b.errorf("Tie is %v, not from 0 to 1", n.Tie)
	}
	if n.Tie == 1 {
		x = part{op: algorithm.OpBool, atLeast: 1}
	} else {
		x = part{op: algorithm.OpBest, tie: float32(n.Tie)}
	}
	if boost, err = b.boost(n.Boost, boost); err != nil {
		return x, false, err
	}
	var join func(*part) []part
	if n.Tie == 1 {
		join = disjunction
	}
	if x.should, err = b.kids("Of", n.Of, boost, join, nil); err != nil {
		return x, false, err
	}
	separate(&x.should) // nodes of nothing but Similarities are as good as absent
	switch len(x.should) {
	case 0:
		return part{}, false, nil
	case 1:
		return x.should[0], true, nil
	}
	return x, true, nil
}

func (b *builder) term(t *query.Term, boost float64) (x part, ok bool, err error) {
	i, err := b.p.Number(t.Field)
	if err != nil {
		return x, false, b.at(err)
	}
	boost, err = b.boostOf(t.Boost, boost, t.Field, t.Text)
	from := len(b.w.Bytes)
	b.w.Bytes = append(b.w.Bytes, t.Text...)
	return b.word(engine.Word{Bytes: b.w.Bytes[from:len(b.w.Bytes):len(b.w.Bytes)], Field: i, Boost: boost}), true, err
}

// restrictions are the nodes of a Bool that restrict without scoring. Those of columns become one set.
type restrictions struct {
	b     *builder
	parts []part // but for those of columns
	lists []restricting
	own   []query.Node // of columns
}

// add adds nodes of a list.
func (x *restrictions) add(l restricting) error {
	own := false
	for i, n := range l.nodes {
		if l.which != nil && !l.which(n) {
			continue
		}
		if !where.ByColumns(n) {
			p, ok, err := x.b.restriction(l.role, i, n)
			switch {
			case err != nil:
				return err
			case ok && p.op == algorithm.OpBool && p.atLeast == 0 && len(p.must)+len(p.should)+len(p.not) == 0:
				x.parts = append(x.parts, p.filter...)
			case ok:
				x.parts = append(x.parts, p)
			}
			continue
		}
		if err := x.b.enter(); err != nil {
			return err
		}
		if own = true; l.not {
			n = query.Not{Node: n}
		}
		x.own = append(x.own, n)
	}
	if own {
		x.lists = append(x.lists, l)
	}
	return nil
}

// some reports whether there are any.
func (x *restrictions) some() bool { return len(x.parts)+len(x.own) > 0 }

// built returns what they are.
func (x *restrictions) built() ([]part, error) {
	if len(x.own) == 0 {
		return x.parts, nil
	}
	p, err := x.b.columns(together(x.own))
	if err == nil {
		return append(x.parts, p), nil
	}
	for _, l := range x.lists { // say which one it is
		for i, n := range l.nodes {
			if !where.ByColumns(n) {
				continue
			}
			if _, _, err := x.b.restriction(l.role, i, n); err != nil {
				return nil, err
			}
		}
	}
	return nil, err
}

// matched builds a node that only matches where nodes score: it adds 0.
func (b *builder) matched(n query.Node) (x part, ok bool, err error) {
	b.nodes-- // unscored counts it
	x, ok, err = b.unscored(n)
	if ok && err == nil && x.op != algorithm.OpNone {
		x = part{op: algorithm.OpBool, filter: []part{x}}
	}
	return x, ok, err
}

// unscored builds a node that nothing scores.
func (b *builder) unscored(n query.Node) (x part, ok bool, err error) {
	if !where.ByColumns(n) && !combines(n) {
		defer b.hush()()
		x, ok, err = b.build(n, 1)
		if ok && x.op == algorithm.OpConst {
			x = x.must[0]
		}
		return x, ok, err
	}
	if err := b.enter(); err != nil {
		return x, false, err
	}
	if where.ByColumns(n) {
		x, err = b.columns(n)
		return x, true, err
	}
	switch n := n.(type) {
	case query.Docs:
		set := docset.Searched(n)
		if set == nil {
			return x, false, b.errorf("the zero Docs: DocsOf makes one")
		}
		return part{op: algorithm.OpSet, set: set}, true, nil
	case query.And:
		all := restrictions{b: b}
		if err := all.add(restricting{role: "And", nodes: n}); err != nil {
			return x, false, err
		}
		x.op = algorithm.OpBool
		if x.filter, err = all.built(); len(x.filter) == 1 {
			x = x.filter[0]
		}
		return x, all.some(), err
	case query.Or:
		x.op, x.atLeast = algorithm.OpBool, 1
		for i, kid := range n {
			p, ok, err := b.restriction("Or", i, kid)
			if err != nil {
				return x, false, err
			}
			if ok {
				x.should = append(x.should, p)
			}
		}
		return x.simplified()
	case query.Not:
		kid, ok, err := b.restriction("Not", -1, n.Node)
		if !ok {
			return part{op: algorithm.OpAll}, err == nil, err
		}
		return part{op: algorithm.OpBool, must: []part{{op: algorithm.OpAll}}, not: []part{kid}}, true, err
	}
	return x, false, nil
}

// restriction builds a node that nothing scores, at a place in the current one.
func (b *builder) restriction(role string, i int, n query.Node) (part, bool, error) {
	b.path = append(b.path, step{role, i})
	x, ok, err := b.unscored(n)
	b.path = b.path[:len(b.path)-1]
	return x, ok, err
}
