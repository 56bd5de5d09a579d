package query

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/query/internal/engine/expand"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// Frequencies are what the scores of one query depend on, beside a Collection: document frequencies of its terms, as
// integers. Searcher.Frequencies returns those of a part; Add makes of them those of the whole, with which Query.Frequencies
// searches each part.
type Frequencies struct {
	// Terms are the distinct terms of the query, in the order of fields, then of bytes.
	Terms []TermFrequency
	// Expansions are the nodes that stand for terms, in the order of the query.
	Expansions []Expansion
}

// TermFrequency is the document frequency of a term.
type TermFrequency struct {
	Field string // "" without a schema
	Term  []byte
	DF    uint64 // documents that are not deleted
}

// Expansion is what a Prefix, Wildcard, Regexp or Fuzzy, or the last word of a Phrase with Prefix, stands for.
type Expansion struct {
	Name string // as errors name the node
	Most int    // of Terms that are possible: MaxScored or MaxConstant
	// Constant says that the node does not score each term. Once all parts are added, only whether there are Terms matters
	// then: Trim leaves one.
	Constant bool
	Terms    []FieldTerm // in the order of fields, then of bytes
}

// FieldTerm is a term of a field.
type FieldTerm struct {
	Field string
	Term  []byte
}

func (a *TermFrequency) compare(b *TermFrequency) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), bytes.Compare(a.Term, b.Term))
}

func (a *FieldTerm) compare(b *FieldTerm) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), bytes.Compare(a.Term, b.Term))
}

// Frequencies returns the document frequencies of the terms of q in what s searches, whatever its own Frequencies and
// Options.Collection are. The errors are those of AppendHits, and ErrInvalid for a Searcher with Options.Statistics.
func (s *Searcher) Frequencies(ctx context.Context, q Query) (f Frequencies, err error) {
	q.Frequencies = nil
	if ctx, err = begin(ctx, &q); err != nil {
		return f, err
	}
	x := q.engine()
	x.Frequencies = &finding{&f}
	err = s.engine.Frequencies(ctx, &x, func(field int, term []byte, df uint64) {
		f.Terms = append(f.Terms, TermFrequency{s.parser.fields[field].name, slices.Clone(term), df})
	})
	if err != nil {
		return Frequencies{}, err
	}
	slices.SortFunc(f.Terms, func(a, b TermFrequency) int { return a.compare(&b) })
	return f, nil
}

// Add adds what another part has for the same query. The error matches ErrInvalid if it is another query's, and
// ErrTooManyTerms if a node stands for more terms than are possible in all parts together.
func (f *Frequencies) Add(o Frequencies) error {
	if f.Terms == nil && f.Expansions == nil {
		f.Terms, f.Expansions = slices.Clone(o.Terms), slices.Clone(o.Expansions)
		return nil
	}
	if len(f.Expansions) != len(o.Expansions) {
		return errOtherQuery
	}
	f.Terms = union(f.Terms, o.Terms, (*TermFrequency).compare, func(a *TermFrequency, b TermFrequency) { a.DF += b.DF })
	for i := range o.Expansions {
		x, y := &f.Expansions[i], &o.Expansions[i]
		if x.Name != y.Name || x.Most != y.Most || x.Constant != y.Constant {
			return errOtherQuery
		}
		x.Terms = union(x.Terms, y.Terms, (*FieldTerm).compare, func(*FieldTerm, FieldTerm) {})
		if len(x.Terms) > x.Most {
			return tooMany(x.Name, x.Most)
		}
	}
	return nil
}

var errOtherQuery = fmt.Errorf("%w: frequencies of another query", ErrInvalid)

func tooMany(name string, most int) error {
	return fmt.Errorf("%w: %s stands for more than %d terms", ErrTooManyTerms, name, most)
}

// Clone returns a copy of f that shares no memory with it; nil of nil.
func (f *Frequencies) Clone(trusted.Caller) *Frequencies {
	if f == nil {
		return nil
	}
	own := &Frequencies{Terms: slices.Clone(f.Terms), Expansions: slices.Clone(f.Expansions)}
	for i := range own.Terms {
		own.Terms[i].Term = bytes.Clone(own.Terms[i].Term)
	}
	for i := range own.Expansions {
		e := &own.Expansions[i]
		e.Terms = slices.Clone(e.Terms)
		for j := range e.Terms {
			e.Terms[j].Term = bytes.Clone(e.Terms[j].Term)
		}
	}
	return own
}

// Trim drops what only Add needs.
func (f *Frequencies) Trim() {
	for i := range f.Expansions {
		if x := &f.Expansions[i]; x.Constant && len(x.Terms) > 1 {
			x.Terms = x.Terms[:1]
		}
	}
}

// union merges two lists in ascending order; join adds an element of b to the equal one of a.
func union[T any](a, b []T, compare func(a, b *T) int, join func(a *T, b T)) []T {
	all := make([]T, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		switch c := compare(&a[0], &b[0]); {
		case c < 0:
			all, a = append(all, a[0]), a[1:]
		case c > 0:
			all, b = append(all, b[0]), b[1:]
		default:
			all = append(all, a[0])
			join(&all[len(all)-1], b[0])
			a, b = a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// given are the Frequencies that a query brings, as the engine sees them.
type given struct {
	all *Frequencies
	p   *Parser // of the index, once the query is parsed
}

// DF makes given an engine.Frequencies.
func (g *given) DF(field int, term []byte, live, docs uint64) (uint64, error) {
	return g.all.DF(trusted.Caller{}, g.p.fields[field].name, term, live, docs)
}

// DF returns the document frequency of a term of a field in the collection, which has docs documents with the field. The
// term is in live documents of the part that is searched. The error matches ErrInvalid if f does not have the term, or
// the part cannot be one of the collection.
func (f *Frequencies) DF(_ trusted.Caller, field string, term []byte, live, docs uint64) (uint64, error) {
	i, ok := slices.BinarySearchFunc(f.Terms, TermFrequency{Field: field, Term: term}, func(a, b TermFrequency) int { return a.compare(&b) })
	if !ok {
		return 0, fmt.Errorf("%w: Frequencies do not have the term %.40q of the field %q", ErrInvalid, term, field)
	}
	df := f.Terms[i].DF
	if df < live || df > docs {
		return 0, fmt.Errorf("%w: the term %.40q is in %d documents of the index, which cannot be in %d of %d of the collection", ErrInvalid, (&posting.Field{Name: field}).Label(term), live, df, docs)
	}
	return df, nil
}

// finding is a query whose Frequencies are asked.
type finding struct{ all *Frequencies }

// DF makes finding an engine.Frequencies. Nothing is scored.
func (*finding) DF(int, []byte, uint64, uint64) (uint64, error) { return 0, errOtherQuery }

// begin returns what a node that stands for terms stands for in the collection, or nil if the query does not say so. If
// this is asked, it prepares for what find finds.
func (e *expanding) begin(constant bool) (*Expansion, error) {
	b := e.b
	switch {
	case b.found != nil:
		b.found.Expansions = append(b.found.Expansions, Expansion{Name: e.label, Most: e.left, Constant: constant})
	case b.given != nil:
		if b.expansions == len(b.given.Expansions) || b.given.Expansions[b.expansions].Name != e.label {
			return nil, errOtherQuery
		}
		e.whole = &b.given.Expansions[b.expansions]
		b.expansions++
	}
	return e.whole, nil
}

// found notes the terms of a field.
func (e *expanding) found(field string, terms []expand.Term) {
	if e.b.found == nil {
		return
	}
	x := &e.b.found.Expansions[len(e.b.found.Expansions)-1]
	for i := range terms {
		x.Terms = append(x.Terms, FieldTerm{field, terms[i].Bytes})
	}
}

// in returns the terms of a field.
func (x *Expansion) in(field string) (terms []expand.Term) {
	for i := range x.Terms {
		if x.Terms[i].Field == field {
			terms = append(terms, expand.Term{Bytes: x.Terms[i].Term})
		}
	}
	return terms
}

// restartExpansions is called where a query is built once more.
func (b *builder) restartExpansions() {
	if b.expansions = 0; b.found != nil {
		b.found.Expansions = nil
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
