// Package expand finds the terms that a part of a query stands for, and the documents that have them.
package expand

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/reader"
)

// Selection says which terms of a field are meant: those that Automaton accepts or, if that is nil, those that begin
// with Prefix.
type Selection struct {
	Automaton *automata.Automaton
	Prefix    []byte
	Without   []byte // unless empty, terms that begin with it are not meant
}

// Terms returns an iterator over the terms of a field, also those that Omits reports.
func (x *Selection) Terms(f *reader.SnapshotField) *reader.Terms {
	if x.Automaton != nil {
		return f.Match(x.Automaton)
	}
	return f.Terms(x.Prefix)
}

// Accepts reports whether a term is meant.
func (x *Selection) Accepts(term []byte) bool {
	if x.Omits(term) {
		return false
	}
	if x.Automaton != nil {
		return x.Automaton.Matches(term)
	}
	return bytes.HasPrefix(term, x.Prefix)
}

// Omits reports whether a term of Terms is not meant.
func (x *Selection) Omits(term []byte) bool {
	return len(x.Without) > 0 && bytes.HasPrefix(term, x.Without)
}

// Err returns why terms may have been left out, or nil.
func (x *Selection) Err() error {
	if x.Automaton != nil {
		return x.Automaton.Err()
	}
	return nil
}

// Term is a term of a snapshot.
type Term struct {
	Bytes   []byte
	DF      uint64 // without deleted documents, at least 1
	Entries []reader.TermEntry
}

// often is after how many terms or lists it is looked whether the context is done.
const often = 256

// walk calls visit with the terms of a field that x means, in bytewise order, until it returns false.
func walk(ctx context.Context, s *reader.Snapshot, field string, x *Selection, visit func(*reader.Terms) (bool, error)) error {
	f, ok := s.Field(field)
	if !ok {
		return s.Err()
	}
	all := x.Terms(f)
	for seen := 0; all.Next(); seen++ {
		if seen%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if x.Omits(all.Term()) {
			continue
		}
		if on, err := visit(all); err != nil || !on {
			return err
		}
	}
	return cmp.Or(all.Err(), x.Err())
}

// termOf returns the current term of all. Its DF is 0 if all its documents are deleted, and it has nothing else then.
func termOf(s *reader.Snapshot, all *reader.Terms) (t Term, err error) {
	segments := s.Segments()
	for _, e := range all.Entries() {
		live, err := segments[e.Segment].LiveDF(e.Entry)
		if err != nil {
			return t, err
		}
		t.DF += uint64(live)
	}
	if t.DF > 0 {
		t.Bytes, t.Entries = slices.Clone(all.Term()), slices.Clone(all.Entries())
	}
	return t, nil
}

// Find returns the terms of a field that x means and that documents have which are not deleted, in bytewise order.
// It stops after most of them, and more says whether there is a further one.
func Find(ctx context.Context, s *reader.Snapshot, field string, x *Selection, most int) (terms []Term, more bool, err error) {
	err = walk(ctx, s, field, x, func(all *reader.Terms) (bool, error) {
		t, err := termOf(s, all)
		switch {
		case err != nil || t.DF == 0:
		case len(terms) == most:
			more = true
		default:
			terms = append(terms, t)
		}
		return !more, err
	})
	if err != nil {
		return nil, false, err
	}
	return terms, more, nil
}

// FarTerm is a term with how far it is from what is looked for.
type FarTerm struct {
	Term
	Far uint32
}

// Closest is Find for the terms that are the closest by far, equally close ones in bytewise order, and in that order.
func Closest(ctx context.Context, s *reader.Snapshot, field string, x *Selection, most int, far func(term []byte) uint32) (best []FarTerm, more bool, err error) {
	settle := func() {
		sort.Slice(best, func(i, j int) bool {
			return cmp.Or(cmp.Compare(best[i].Far, best[j].Far), bytes.Compare(best[i].Bytes, best[j].Bytes)) < 0
		})
		if len(best) > most {
			best, more = best[:most], true
		}
	}
	err = walk(ctx, s, field, x, func(all *reader.Terms) (bool, error) {
		t := FarTerm{Far: far(all.Term())}
		if more && t.Far >= best[most-1].Far { // and behind it by bytes
			return true, nil
		}
		if t.Term, err = termOf(s, all); err != nil || t.DF == 0 {
			return err == nil, err
		}
		if best = append(best, t); len(best) == 2*most {
			settle()
		}
		return true, nil
	})
	if err != nil {
		return nil, false, err
	}
	settle()
	return best, more, nil
}
