package search

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
)

// restrictions are the nodes of a Bool that restrict without scoring. Those of columns become one set.
type restrictions struct {
	b     *builder
	parts []part // but for those of columns
	lists []restricting
	own   []query.Node // of columns
}

// restricting is a list of nodes.
type restricting struct {
	role  string
	nodes []query.Node
	which func(query.Node) bool // of the nodes
	not   bool                  // that must not match
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

// together returns nodes, of which there are some, as one.
func together(nodes []query.Node) query.Node {
	if len(nodes) == 1 {
		return nodes[0]
	}
	return query.And(nodes)
}

// restriction builds a node that nothing scores, at a place in the current one.
func (b *builder) restriction(role string, i int, n query.Node) (part, bool, error) {
	b.path = append(b.path, step{role, i})
	x, ok, err := b.unscored(n)
	b.path = b.path[:len(b.path)-1]
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

// combines reports whether unscored has a way of its own to build n, beside nodes of columns.
func combines(n query.Node) bool {
	switch n.(type) {
	case query.Docs, query.And, query.Or, query.Not:
		return true
	}
	return false
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

// columns builds a node of columns.
func (b *builder) columns(n query.Node) (part, error) {
	c, err := b.compiled(n)
	switch {
	case err != nil:
		return part{}, b.at(fmt.Errorf("%w: %w", query.ErrInvalid, err))
	case c.None():
		return part{op: algorithm.OpNone}, nil
	case c.All():
		return part{op: algorithm.OpAll}, nil
	}
	return part{op: algorithm.OpSet, columns: c}, nil
}

// compiled returns the set of a node of columns.
func (b *builder) compiled(n query.Node) (*filter.Compiled, error) {
	c := where.Conversion{Schema: b.p.Schema}
	switch n := n.(type) { // the most frequent ones, without memory for their filters
	case query.In:
		if len(n.Values) != 1 {
			break
		}
		v, err := c.Value(n.Field, n.Values[0])
		if err != nil {
			return nil, err
		}
		return filter.CompileEqual(c.Schema, n.Field, v)
	case query.Range:
		f, err := c.Span(&n)
		if err != nil {
			return nil, err
		}
		return filter.CompileRange(c.Schema, &f)
	}
	f, err := c.Filter(n)
	if err != nil {
		return nil, err
	}
	return filter.Compile(b.p.Schema, f)
}

// restrict makes filters of a query those of b.w if they are sets, and returns the others.
func (b *builder) restrict(filters []part) (others []part) {
	w := b.w
	for _, f := range filters {
		switch {
		case f.op == algorithm.OpAll:
		case f.op != algorithm.OpSet:
			others = append(others, f)
		case f.columns != nil && w.Columns == nil:
			w.Columns = f.columns
		case f.columns != nil:
			others = append(others, f)
		case w.Filter == nil:
			w.Filter = f.set
		default:
			w.Filter = docset.AndGlobal(w.Filter, f.set)
		}
	}
	return others
}
