package search

import (
	"bytes"
	"slices"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
)

// plainly is a builder of queries that are words with a mode, in fewer steps.
type plainly struct{ *builder }

// plain adds the words of a node to b.w if it is a Match that looks for each in one field, or nothing but Terms that all
// must match, or one of which must: the queries of which build would make the same, in more steps than some of them take to
// execute. It returns false for others, and for Terms that are invalid, of which build knows the place.
func (b plainly) plain(n query.Node) (ok bool, err error) {
	switch n := n.(type) {
	case query.Match:
		return b.plainMatch(&n)
	case query.And:
		return b.plainTerms(n, engine.And), nil
	case query.Or:
		return b.plainTerms(n, engine.Or), nil
	case query.Bool:
		if n.AtLeast > 1 || n.Boost != 0 || len(n.Filter)+len(n.MustNot) > 0 {
			return false, nil
		}
		switch {
		case len(n.Should) == 0 && n.AtLeast == 0:
			return b.plainTerms(n.Must, engine.And), nil
		case len(n.Must) == 0:
			return b.plainTerms(n.Should, engine.Or), nil
		}
	}
	return false, nil
}

func (b plainly) plainTerms(nodes []query.Node, mode engine.Mode) bool {
	if len(nodes) > few || b.nodes+1+len(nodes) > query.MaxNodes {
		return false
	}
	w := b.w
	for _, n := range nodes {
		t, ok := n.(query.Term)
		field, err := 0, error(nil)
		if ok {
			field, err = b.p.Number(t.Field)
		}
		if ok = ok && err == nil && !b.p.Fields[field].Impacts; ok {
			t.Boost, err = b.boost(t.Boost, 1)
		}
		if !ok || err != nil {
			w.Words, w.Bytes = w.Words[:0], w.Bytes[:0]
			return false
		}
		from := len(w.Bytes)
		w.Bytes = append(w.Bytes, t.Text...)
		word := engine.Word{Bytes: w.Bytes[from:len(w.Bytes):len(w.Bytes)], Field: field, Boost: t.Boost}
		if slices.ContainsFunc(w.Words, func(o engine.Word) bool { return o.Field == field && bytes.Equal(o.Bytes, word.Bytes) }) {
			w.Words, w.Bytes = w.Words[:0], w.Bytes[:0] // build puts equal words together
			return false
		}
		w.Words = append(w.Words, word)
	}
	if w.Mode = mode; len(nodes) < 2 {
		w.Mode = engine.Or
	}
	b.nodes += 1 + len(nodes)
	return len(nodes) > 0
}

func (b plainly) plainMatch(m *query.Match) (ok bool, err error) {
	fields, boost, err := b.of(m, 1)
	if err != nil || m.Typos || m.Mode != query.ModeOr && len(fields) > 1 || b.p.impacts(fields) || len(b.p.compounds(fields)) > 0 {
		return false, err
	}
	w := b.w
	for i, f := range fields {
		if err := appendWords(b.p.Fields[f], w, f, boost.of(i), m.Text); err != nil {
			return false, err
		}
	}
	if w.Mode = engine.Mode(m.Mode); len(w.Words) < 2 {
		w.Mode = engine.Or
	}
	return true, nil
}

// plainFiltered is plain for what must match, and filters beside it.
func (b plainly) plainFiltered(n *query.Bool) (ok bool, err error) {
	if len(n.Filter) == 0 || len(n.Must) == 0 || len(n.Should)+len(n.MustNot) > 0 || n.AtLeast != 0 || n.Boost != 0 {
		return false, nil
	}
	nodes := b.nodes
	if m, is := n.Must[0].(query.Match); is && len(n.Must) == 1 {
		b.nodes += 2 // n and m
		b.path = append(b.path, step{"Must", 0})
		if ok, err = b.plainMatch(&m); err != nil {
			return false, b.at(err)
		}
	} else {
		ok = b.plainTerms(n.Must, engine.And)
	}
	b.path = b.path[:0]
	switch ok = ok && len(b.w.Words) > 0; {
	case ok && b.ofColumns(n.Filter):
	case ok:
		all := restrictions{b: b.builder}
		if err := all.add(restricting{role: "Filter", nodes: n.Filter}); err != nil {
			return false, err
		}
		filters, err := all.built()
		if err != nil {
			return false, err
		}
		ok = len(b.restrict(filters)) == 0
	}
	if !ok {
		b.nodes = nodes
		b.w.Words, b.w.Bytes, b.w.Filter, b.w.Columns = b.w.Words[:0], b.w.Bytes[:0], nil, nil
		b.restart()
	}
	return ok, nil
}

// ofColumns makes the filters of a query those of b.w if all are of columns, and some but not all documents may pass. Of
// others, and of those that are invalid, it knows nothing.
func (b plainly) ofColumns(filters []query.Node) bool {
	if b.nodes+len(filters) > query.MaxNodes || !allOf(filters, where.ByColumns) {
		return false
	}
	c, err := compiled(b.p.Schema, together(filters))
	if err != nil || c.None() || c.All() {
		return false
	}
	b.nodes += len(filters)
	b.w.Columns = c
	return true
}
