package search

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// restricting is a list of nodes.
type restricting struct {
	role  string
	nodes []query.Node
	which func(query.Node) bool // of the nodes
	not   bool                  // that must not match
}

// together returns nodes, of which there are some, as one.
func together(nodes []query.Node) query.Node {
	if len(nodes) == 1 {
		return nodes[0]
	}
	return query.And(nodes)
}

// combines reports whether unscored has a way of its own to build n, beside nodes of columns.
func combines(n query.Node) bool {
	switch n.(type) {
	case query.Docs, query.And, query.Or, query.Not:
		return true
	}
	return false
}

// columns builds a node of columns.
func (b *builder) columns(n query.Node) (part, error) {
	c, err := compiled(b.p.Schema, n)
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
func compiled(s *schema.Schema, n query.Node) (*filter.Compiled, error) {
	c := where.Conversion{Schema: s}
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
	return filter.Compile(s, f)
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
