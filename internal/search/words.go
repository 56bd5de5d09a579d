package search

import (
	"bytes"
	"errors"
	"slices"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Indexed returns the fields of a snapshot that are indexed, in the order in which AppendWords numbers them.
func Indexed(s *reader.Snapshot) []*schema.Field { return fields.Indexed(s.Schema()) }

// AppendWords sets to, whose memory it uses, to what a query searches for, and returns the mode that combines the terms.
// flat is false if no mode says what the query matches. The error is one of Searcher.AppendHits.
func (p *Parser) AppendWords(to *terms.Query, q *Query) (m query.Mode, flat bool, err error) {
	to.Docs, to.Columns = q.Filter, nil
	x := q.engine()
	w := engine.Words{Words: to.Words[:0], Bytes: to.Bytes[:0], Mode: x.Mode}
	if err := q.checkNode(); err != nil {
		return query.ModeOr, false, err
	}
	if err = p.words(&x, &w); errors.Is(err, errTerms) {
		return query.ModeOr, false, nil // the executor knows the terms
	}
	to.Words, to.Bytes, to.Columns = w.Words, w.Bytes, w.Columns
	switch {
	case w.Filter != nil && q.Filter != nil:
		to.Docs = docset.AndGlobal(q.Filter, w.Filter)
	case w.Filter != nil:
		to.Docs = w.Filter
	}
	return query.Mode(w.Mode), w.Tree == nil, err
}

// AppendWordLengths appends the document frequencies of the terms of q, which is complete, as AppendLengths does, and returns
// the mode of AppendWords and whether there is one. A query that is one Dot counts as a disjunction.
func (s *Searcher) AppendWordLengths(dst []uint64, q *Query) (lengths []uint64, m query.Mode, flat bool, err error) {
	if !q.ByFields() {
		name := ""
		if s.parser.isPlain() {
			name = s.parser.Fields[0].Name
		}
		dst, err = s.AppendFieldLengths(dst, name, q.RawTerms)
		return dst, q.Mode, true, err
	}
	var dot terms.Dot
	if ok, err := s.parser.AppendDot(&dot, q); ok || err != nil {
		words := make([]terms.Word, len(dot.Terms))
		for i, t := range dot.Terms {
			words[i] = terms.Word{Bytes: t, Field: dot.Field, Boost: 1}
		}
		if err == nil {
			dst, err = s.engine.AppendWordLengths(dst, words)
		}
		return dst, query.ModeOr, ok, err
	}
	var all terms.Query
	m, flat, err = s.parser.AppendWords(&all, q)
	if err == nil {
		dst, err = s.engine.AppendWordLengths(dst, all.Words)
	}
	return dst, m, flat, err
}

// CloneNode returns a copy of a node that shares no memory with it that its owner may change, but for bitmaps.
func CloneNode(n query.Node) query.Node {
	switch n := n.(type) {
	case query.Match:
		n.Fields = slices.Clone(n.Fields)
		return n
	case query.Dot:
		n.Terms = slices.Clone(n.Terms)
		return n
	case query.Phrase:
		n.Terms = slices.Clone(n.Terms)
		return n
	case query.Near:
		n.Terms = slices.Clone(n.Terms)
		return n
	case query.Bool:
		n.Must, n.Should, n.MustNot = cloneNodes(n.Must), cloneNodes(n.Should), cloneNodes(n.MustNot)
		n.Filter = cloneNodes(n.Filter)
		return n
	case query.Best:
		n.Of = cloneNodes(n.Of)
		return n
	case query.Const:
		n.Node = CloneNode(n.Node)
		return n
	case query.In:
		n.Values = slices.Clone(n.Values)
		for i, x := range n.Values {
			n.Values[i] = cloneValue(x)
		}
		return n
	case query.Range:
		n.Min, n.Max = cloneValue(n.Min), cloneValue(n.Max)
		return n
	case query.IDs:
		return slices.Clone(n)
	case query.And:
		return query.And(cloneNodes(n))
	case query.Or:
		return query.Or(cloneNodes(n))
	case query.Not:
		return query.Not{Node: CloneNode(n.Node)}
	}
	return n
}

func cloneNodes(nodes []query.Node) []query.Node {
	own := slices.Clone(nodes)
	for i, n := range own {
		own[i] = CloneNode(n)
	}
	return own
}

// cloneValue returns a value of a filter that shares no memory with it that its owner may change.
func cloneValue(x any) any {
	switch x := x.(type) {
	case []byte:
		return bytes.Clone(x)
	case schema.Value:
		if x.Kind == schema.Keyword {
			return schema.KeywordValue(x.Field, bytes.Clone(x.Bytes()))
		}
	}
	return x
}
