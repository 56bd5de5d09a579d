package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/query"
)

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

func compareFrequencies(a, b *query.TermFrequency) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Term, b.Term))
}
