package query

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// Frequencies are what the scores of one query depend on, beside a Collection: document frequencies of its terms, as
// integers. pinion.View.Frequencies returns those of a part; Add makes of them those of the whole, with which
// pinion.View.SearchPart searches each part.
type Frequencies struct {
	// Terms are the distinct terms of the query, in the order of fields, then of bytes.
	Terms []TermFrequency
	// Expansions are the nodes that stand for terms, in the order of the query.
	Expansions []Expansion
}

// TermFrequency is the document frequency of a term.
type TermFrequency struct {
	Field string // "" in the implicit schema
	Term  string
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
	// Closest says that it is a Fuzzy, which stands for the closest of more than Most terms. Other nodes that score each
	// term are constants then. Cut says that there are more: Terms are the closest, or one of them.
	Closest, Cut bool
}

// FieldTerm is a term of a field.
type FieldTerm struct {
	Field string
	Term  string
	Far   uint32 // of Closest: how far the term is from the word; a lesser number is closer
}

func (a *TermFrequency) compare(b *TermFrequency) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Term, b.Term))
}

func (a *FieldTerm) compare(b *FieldTerm) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Term, b.Term))
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
		if x.Name != y.Name || x.Most != y.Most || x.Constant != y.Constant || x.Closest != y.Closest {
			return errOtherQuery
		}
		x.Terms = union(x.Terms, y.Terms, (*FieldTerm).compare, func(*FieldTerm, FieldTerm) {})
		x.Cut = x.Cut || y.Cut
		if len(x.Terms) > x.Most {
			if x.Constant || x.Most > MaxScored {
				return tooMany(x.Name, x.Most)
			}
			x.Cut = true
		}
		x.Limit()
	}
	return nil
}

// Limit drops the terms that do not count if there are too many: those beyond Most of Closest, all but one of a constant.
func (x *Expansion) Limit() {
	switch {
	case !x.Cut:
	case !x.Closest:
		x.Terms = x.Terms[:min(len(x.Terms), 1)]
	case len(x.Terms) > x.Most:
		sort.Slice(x.Terms, func(i, j int) bool {
			a, b := &x.Terms[i], &x.Terms[j]
			return cmp.Or(cmp.Compare(a.Far, b.Far), cmp.Compare(a.Term, b.Term), cmp.Compare(a.Field, b.Field)) < 0
		})
		x.Terms = x.Terms[:x.Most]
		sort.Slice(x.Terms, func(i, j int) bool { return x.Terms[i].compare(&x.Terms[j]) < 0 })
	}
}

// Limited returns what Query.Limited is set to.
func (f *Frequencies) Limited() (all []Limited) {
	for i := range f.Expansions {
		if x := &f.Expansions[i]; x.Cut {
			all = append(all, Limited{x.Name, !x.Closest})
		}
	}
	return all
}

var errOtherQuery = fmt.Errorf("%w: frequencies of another query", ErrInvalid)

func tooMany(name string, most int) error {
	return fmt.Errorf("%w: %s stands for more than %d terms", ErrTooManyTerms, name, most)
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
