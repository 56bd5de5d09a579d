package search

import (
	"errors"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
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
	m, tree, ok, err := p.AppendTree(to, q)
	return m, ok && tree == nil, err
}

// AppendTree is AppendWords that also returns the tree of what no mode says, of whose words word i has the Group i+1. It is nil for what a mode
// says. ok is false if the executor knows the terms.
func (p *Parser) AppendTree(to *terms.Query, q *Query) (m query.Mode, tree *algorithm.Expr, ok bool, err error) {
	to.Docs, to.Columns = q.Filter, nil
	x := q.engine()
	w := engine.Words{Words: to.Words[:0], Bytes: to.Bytes[:0], Mode: x.Mode}
	if err := q.checkNode(); err != nil {
		return query.ModeOr, nil, false, err
	}
	if err = p.words(&x, &w); errors.Is(err, errTerms) {
		return query.ModeOr, nil, false, nil
	}
	to.Words, to.Bytes, to.Columns = w.Words, w.Bytes, w.Columns
	switch {
	case w.Filter != nil && q.Filter != nil:
		to.Docs = docset.AndGlobal(q.Filter, w.Filter)
	case w.Filter != nil:
		to.Docs = w.Filter
	}
	return query.Mode(w.Mode), w.Tree, true, err
}

// perVector is how many postings a core reads in about the time in which it compares a vector.
const perVector = 16

// AppendWordLengths appends the document frequencies of the terms of q, which is complete, as AppendLengths does, and returns
// the mode of AppendWords and whether a device may know how the terms are combined. A query that is one Dot, or a tree, counts as a disjunction,
// and so does one Nearest: of a list as long as what a core reads in the time in which it compares all vectors.
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
	if n, err := s.parser.NearestOf(q); n != nil || err != nil {
		if err == nil {
			dst = append(dst, perVector*s.engine.Vectors(n.Field()))
		}
		return dst, query.ModeOr, err == nil && !n.Codes(), err
	}
	var all terms.Query
	m, _, flat, err = s.parser.AppendTree(&all, q)
	if err == nil {
		dst, err = s.engine.AppendWordLengths(dst, all.Words)
	}
	return dst, m, flat, err
}
