package query

import (
	"bytes"
	"errors"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/internal/terms"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Indexed returns the fields of a snapshot that are indexed, in the order in which AppendWords numbers them, or nil if
// the index has no schema.
func Indexed(_ trusted.Caller, s *reader.Snapshot) []*schema.Field {
	all := schemaOf(s)
	if all == nil {
		return nil
	}
	return indexed(all)
}

// AppendWords sets to, whose memory it uses, to what a query searches for, and returns the mode that combines the terms.
// flat is false if no mode says what the query matches. The error is one of Searcher.AppendHits.
func (p *Parser) AppendWords(_ trusted.Caller, to *terms.Query, q *Query) (m Mode, flat bool, err error) {
	to.Docs, to.Columns = q.Filter, nil
	x := q.engine()
	w := engine.Words{Words: to.Words[:0], Bytes: to.Bytes[:0], Mode: x.Mode}
	if err := q.checkNode(); err != nil {
		return Or, false, err
	}
	if err = p.words(&x, &w); errors.Is(err, errTerms) {
		return Or, false, nil // whoever knows the terms executes it
	}
	to.Words, to.Bytes, to.Columns = w.Words, w.Bytes, w.Columns
	switch {
	case w.Filter != nil && q.Filter != nil:
		to.Docs = roaring.And(q.Filter, w.Filter)
	case w.Filter != nil:
		to.Docs = w.Filter
	}
	return Mode(w.Mode), w.Tree == nil, err
}

// AppendWordLengths appends the document frequencies of the terms of q, as AppendLengths does, and returns the mode of
// AppendWords and whether there is one. A query that is one Dot counts as a disjunction.
func (s *Searcher) AppendWordLengths(_ trusted.Caller, dst []uint64, q *Query) (lengths []uint64, m Mode, flat bool, err error) {
	var dot terms.Dot
	if ok, err := s.parser.AppendDot(trusted.Caller{}, &dot, q); ok || err != nil {
		words := make([]terms.Word, len(dot.Terms))
		for i, t := range dot.Terms {
			words[i] = terms.Word{Bytes: t, Field: dot.Field, Boost: 1}
		}
		if err == nil {
			dst, err = s.engine.AppendWordLengths(dst, words)
		}
		return dst, Or, ok, err
	}
	var all terms.Query
	m, flat, err = s.parser.AppendWords(trusted.Caller{}, &all, q)
	if err == nil {
		dst, err = s.engine.AppendWordLengths(dst, all.Words)
	}
	return dst, m, flat, err
}

// ByColumns reports whether a filter is one of package filter: not a Where or Bitmap, and none is part of it.
func ByColumns(_ trusted.Caller, f Filter) bool { return f != nil && !searches(f) }

// CloneNode returns a copy of a node that shares no memory with it that its owner may change, but for bitmaps.
func CloneNode(_ trusted.Caller, n Node) Node {
	switch n := n.(type) {
	case Term:
		n.Term = bytes.Clone(n.Term)
		return n
	case cloning:
		return n.clone()
	case Bool:
		n.Must, n.Should, n.Not = cloneNodes(n.Must), cloneNodes(n.Should), cloneNodes(n.Not)
		n.Filter = cloneFilters(n.Filter)
		return n
	case Best:
		n.Of = cloneNodes(n.Of)
		return n
	case Const:
		n.Node = CloneNode(trusted.Caller{}, n.Node)
		return n
	}
	return n
}

// cloning is a node that clones itself, as buildable is one.
type cloning interface{ clone() Node }

func cloneNodes(nodes []Node) []Node {
	own := slices.Clone(nodes)
	for i, n := range own {
		own[i] = CloneNode(trusted.Caller{}, n)
	}
	return own
}

func cloneFilters(filters []Filter) []Filter {
	own := slices.Clone(filters)
	for i, f := range own {
		own[i] = cloneFilter(f)
	}
	return own
}

func cloneFilter(f Filter) Filter {
	switch f := f.(type) {
	case Where:
		return Where{CloneNode(trusted.Caller{}, f.Node)}
	case filter.And:
		return filter.And(cloneFilters(f))
	case filter.Or:
		return filter.Or(cloneFilters(f))
	case filter.Not:
		return filter.Not{Filter: cloneFilter(f.Filter)}
	}
	return filter.Clone(trusted.Caller{}, f)
}
