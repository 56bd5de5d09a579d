package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/internal/engine/expand"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
)

// expanding finds the terms of a node.
type expanding struct {
	b     *builder
	label string
	most  int              // terms that are possible
	left  int              // of most
	whole *query.Expansion // what it stands for in the collection, if the query says so
}

// allow says how many terms are possible.
func (e *expanding) allow(most int) { e.most, e.left = most, most }

func (e *expanding) context() context.Context {
	if e.b.w.Context != nil {
		return e.b.w.Context
	}
	return context.Background()
}

// find returns the terms of n in a field.
func (e *expanding) find(n expansion, field int) ([]expand.Term, error) {
	terms, more, err := e.findSome(n, field)
	if err != nil {
		return nil, err
	}
	if more {
		return nil, fmt.Errorf("%w: %s stands for more than %d terms", query.ErrTooManyTerms, e.label, e.most)
	}
	e.left -= len(terms)
	e.found(e.b.p.Fields[field].Name, terms)
	return terms, nil
}

// findSome returns some of the terms of n in a field, at most as many as are left, and whether there are more.
func (e *expanding) findSome(n expansion, field int) (terms []expand.Term, more bool, err error) {
	f := e.b.p.Fields[field]
	of, err := e.selections(f, n)
	if err != nil {
		return nil, false, err
	}
	for i := range of {
		its, some, err := expand.Find(e.context(), e.b.w.Snapshot, f.Name, &of[i], e.left)
		if err != nil {
			return nil, false, e.blame(f, err)
		}
		terms, more = append(terms, its...), more || some
	}
	if len(of) > 1 {
		sort.Slice(terms, func(i, j int) bool { return bytes.Compare(terms[i].Bytes, terms[j].Bytes) < 0 })
		more = more || len(terms) > e.left
	}
	return terms, more, nil
}

// selections returns which terms of a field n stands for.
func (e *expanding) selections(f *fields.Field, n expansion) ([]expand.Selection, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	of, err := selections(f, n)
	if err != nil {
		return nil, e.invalid(f, err)
	}
	return of, nil
}

// invalid says of an error in the node what it is of.
func (e *expanding) invalid(f *fields.Field, err error) error {
	return fmt.Errorf("%w: %s in field %q: %w", query.ErrInvalid, e.label, f.Name, err)
}

// blame is invalid for an error of a walk over the terms of a field, if it is one in the node.
func (e *expanding) blame(f *fields.Field, err error) error {
	if errors.Is(err, automata.ErrComplex) {
		return e.invalid(f, err)
	}
	return err
}

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

// termsIn returns the terms of a field.
func termsIn(x *query.Expansion, field string) (terms [][]byte) {
	for i := range x.Terms {
		if x.Terms[i].Field == field {
			terms = append(terms, []byte(x.Terms[i].Term))
		}
	}
	return terms
}
