package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/expand"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/query"
)

// Frequencies returns the document frequencies of the terms of q in what s searches, whatever its own Frequencies and
// Options.Collection are. The errors are those of AppendHits, and ErrInvalid for a Searcher with Options.Statistics.
func (s *Searcher) Frequencies(ctx context.Context, q Query) (f query.Frequencies, err error) {
	q.Frequencies = nil
	if ctx, err = begin(ctx, &q); err != nil {
		return f, err
	}
	x := q.engine()
	x.Frequencies = &finding{&f}
	err = s.engine.Frequencies(ctx, &x, func(field int, term []byte, df uint64) {
		f.Terms = append(f.Terms, query.TermFrequency{Field: s.parser.Fields[field].Name, Term: string(term), DF: df})
	})
	if err != nil {
		return query.Frequencies{}, err
	}
	slices.SortFunc(f.Terms, func(a, b query.TermFrequency) int { return compareFrequencies(&a, &b) })
	return f, nil
}

// CloneFrequencies returns a copy of f that shares no memory with it; nil of nil.
func CloneFrequencies(f *query.Frequencies) *query.Frequencies {
	if f == nil {
		return nil
	}
	own := &query.Frequencies{Terms: slices.Clone(f.Terms), Expansions: slices.Clone(f.Expansions)}
	for i := range own.Expansions {
		own.Expansions[i].Terms = slices.Clone(own.Expansions[i].Terms)
	}
	return own
}

// given are the Frequencies that a query brings, as the engine sees them.
type given struct {
	all *query.Frequencies
	p   *Parser // of the index, once the query is parsed
}

// DF makes given an engine.Frequencies.
func (g *given) DF(field int, term []byte, live, docs uint64) (uint64, error) {
	return DF(g.all, g.p.Fields[field].Name, term, live, docs)
}

// DF returns the document frequency of a term of a field in the collection, which has docs documents with the field. The
// term is in live documents of the part that is searched. The error matches ErrInvalid if f does not have the term, or
// the part cannot be one of the collection.
func DF(f *query.Frequencies, field string, term []byte, live, docs uint64) (uint64, error) {
	i, ok := slices.BinarySearchFunc(f.Terms, query.TermFrequency{Field: field, Term: string(term)}, func(a, b query.TermFrequency) int { return compareFrequencies(&a, &b) })
	if !ok {
		return 0, fmt.Errorf("%w: Frequencies do not have the term %.40q of the field %q", query.ErrInvalid, term, field)
	}
	df := f.Terms[i].DF
	if df < live || df > docs {
		return 0, fmt.Errorf("%w: the term %.40q is in %d documents of the index, which cannot be in %d of %d of the collection", query.ErrInvalid, (&posting.Field{Name: field}).Label(term), live, df, docs)
	}
	return df, nil
}

var errOtherQuery = fmt.Errorf("%w: frequencies of another query", query.ErrInvalid)

// finding is a query whose Frequencies are asked.
type finding struct{ all *query.Frequencies }

// DF makes finding an engine.Frequencies. Nothing is scored.
func (*finding) DF(int, []byte, uint64, uint64) (uint64, error) { return 0, errOtherQuery }

// begin finds what a node that stands for terms stands for in the collection, if the query says so. If this is asked, it
// prepares for what find finds.
func (e *expanding) begin(n expansion, constant bool) error {
	b := e.b
	switch {
	case b.found != nil:
		_, fuzzy := n.(fuzzy)
		b.found.Expansions = append(b.found.Expansions, query.Expansion{Name: e.label, Most: e.left, Constant: constant, Closest: fuzzy && !constant})
	case b.given != nil:
		if b.expansions == len(b.given.Expansions) || b.given.Expansions[b.expansions].Name != e.label {
			return errOtherQuery
		}
		e.whole = &b.given.Expansions[b.expansions]
		b.expansions++
	}
	return nil
}

// found notes the terms of a field.
func (e *expanding) found(field string, terms []expand.Term) {
	x := e.asked()
	if x == nil || x.Cut {
		return
	}
	for i := range terms {
		x.Terms = append(x.Terms, query.FieldTerm{Field: field, Term: string(terms[i].Bytes)})
	}
}

// asked returns what is asked of the node, nil if nothing is.
func (e *expanding) asked() *query.Expansion {
	if e.b.found == nil {
		return nil
	}
	return &e.b.found.Expansions[len(e.b.found.Expansions)-1]
}

func compareFrequencies(a, b *query.TermFrequency) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Term, b.Term))
}

func compareTerms(a, b *query.FieldTerm) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Term, b.Term))
}

// termsIn returns the terms of a field.
func termsIn(x *query.Expansion, field string) (terms [][]byte) {
	for i := range x.Terms {
		if x.Terms[i].Field == field {
			terms = append(terms, []byte(x.Terms[i].Term))
		}
	}
	return terms
}

// restart is called where a query is built once more.
func (b *builder) restart() {
	b.words, b.placed = 0, 0
	if b.expansions = 0; b.found != nil {
		b.found.Expansions = nil
	}
	if b.limits != nil {
		*b.limits = nil
	}
}

// others notes the words of a phrase that no document of the index can match.
func (b *builder) others(field int, places []phrasePlace) {
	if b.found == nil {
		return
	}
	for _, p := range places {
		for _, w := range p.words {
			b.w.Others = append(b.w.Others, engine.Word{Bytes: w, Field: field})
		}
	}
}
