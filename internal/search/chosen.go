package search

import (
	"slices"

	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
)

// Split takes from a filter, which may be nil, what Query.Chosen has for facets with IgnoreOwn: the filter itself, or elements of Must
// and Filter if it is a Bool, or of an And, that columns answer and that are by the field of such a facet alone. The rest
// is nil if nothing is left.
func Split(filter query.Node, facets []Facet) (rest query.Node, chosen []Chosen) {
	own := func(n query.Node) bool {
		fields := fieldsOf(n)
		if len(fields) != 1 || !slices.ContainsFunc(facets, func(f Facet) bool { return f.IgnoreOwn && f.Field == fields[0] }) {
			return false
		}
		i := slices.IndexFunc(chosen, func(c Chosen) bool { return c.Field == fields[0] })
		if i < 0 {
			chosen = append(chosen, Chosen{Field: fields[0], Node: n})
		} else {
			chosen[i].Node = query.And{chosen[i].Node, n}
		}
		return true
	}
	others := func(nodes []query.Node) (kept []query.Node) {
		for _, n := range nodes {
			if !own(n) {
				kept = append(kept, n)
			}
		}
		return kept
	}
	if filter == nil || own(filter) {
		return nil, chosen
	}
	switch n := filter.(type) {
	case query.And:
		switch left := others(n); {
		case len(chosen) == 0:
			return filter, nil
		case len(left) == 0:
			return nil, chosen
		default:
			return query.And(left), chosen
		}
	case query.Bool:
		if n.AtLeast > 0 && len(n.Should) == 0 {
			break
		}
		n.Must, n.Filter = others(n.Must), others(n.Filter)
		switch left := len(n.Must) + len(n.Filter); {
		case len(chosen) == 0:
			return filter, nil
		case left == 0 && len(n.MustNot) == 0 && (n.AtLeast == 0 || len(n.Should) == 0):
			return nil, chosen
		case left == 0: // what was there beside Should and MustNot had to match
			n.Filter = []query.Node{query.All{}}
		}
		return n, chosen
	}
	return filter, nil
}

// fieldsOf returns the fields that a node which columns answer is by, or nil.
func fieldsOf(n query.Node) []string {
	if n == nil || !where.ByColumns(n) {
		return nil
	}
	var fields []string
	var walk func(query.Node) bool
	walk = func(n query.Node) bool {
		add := func(name string) bool {
			if !slices.Contains(fields, name) {
				fields = append(fields, name)
			}
			return true
		}
		switch n := n.(type) {
		case query.In:
			return add(n.Field)
		case query.Range:
			return add(n.Field)
		case query.Exists:
			return add(n.Field)
		case query.And:
			return allOf(n, walk)
		case query.Or:
			return allOf(n, walk)
		case query.Not:
			return walk(n.Node)
		}
		return false
	}
	if !walk(n) {
		return nil
	}
	return fields
}

// restrict makes Chosen part of the node, for what only matches.
func (q *Query) restrict() {
	if len(q.Chosen) == 0 {
		return
	}
	b := query.Bool{Must: []query.Node{q.Node}}
	for _, c := range q.Chosen {
		b.Filter = append(b.Filter, c.Node)
	}
	q.Node, q.Chosen = b, nil
}
