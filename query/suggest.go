package query

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/query/internal/engine/expand"
	"github.com/pinion-index/pinion/reader"
)

// Suggestion is a term of a field, and how many documents have it that are not deleted.
type Suggestion struct {
	Term []byte
	DF   uint64
}

// Suggest returns up to k terms of a field that begin with prefix, which is folded as the field's words are: the most
// frequent first, and equally frequent ones in bytewise order. A k of 0 means DefaultK. The error is that of ctx, or
// matches ErrInvalid, ErrClosed, analysis.ErrUnknown or format.ErrCorrupt.
func (s *Searcher) Suggest(ctx context.Context, field, prefix string, k int) ([]Suggestion, error) {
	return s.suggest(ctx, field, k, Prefix{Prefix: prefix}.selection)
}

// Similar is Suggest for the terms that one edit makes of word, or two if one makes none and the word has more than
// five characters: what may have been meant by a word that the field does not have. Of words of one or two characters
// there are none.
func (s *Searcher) Similar(ctx context.Context, field, word string, k int) (found []Suggestion, err error) {
	if _, err := s.parserOf(field); err != nil {
		return nil, err
	}
	most := automata.MaxEdits
	switch n := utf8.RuneCountInString(word); {
	case n < 3:
		most = 0
	case n < 6:
		most = 1
	}
	for edits := 1; edits <= most && len(found) == 0 && err == nil; edits++ {
		found, err = s.suggest(ctx, field, k, Fuzzy{Text: word, Edits: edits}.selection)
	}
	return found, err
}

// parserOf returns the parser of a field.
func (s *Searcher) parserOf(field string) (*fieldParser, error) {
	if err := s.parser.check(); err != nil {
		return nil, err
	}
	i, err := s.parser.number(field)
	if err != nil {
		return nil, err
	}
	return s.parser.fields[i], s.parser.fields[i].err
}

func (s *Searcher) suggest(ctx context.Context, field string, k int, of func(*fieldParser) (expand.Selection, error)) ([]Suggestion, error) {
	f, err := s.parserOf(field)
	if err != nil {
		return nil, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if k = cmp.Or(k, DefaultK); k < 0 {
		return nil, fmt.Errorf("%w: %d terms", ErrInvalid, k)
	}
	x, err := of(f)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	snapshot := s.engine.Snapshot()
	if snapshot == nil {
		return nil, fmt.Errorf("%w: a Searcher without a snapshot", ErrInvalid)
	}
	return frequent(ctx, snapshot.WithContext(ctx), field, &x, k)
}

// frequent returns the k most frequent of the terms that x means.
func frequent(ctx context.Context, s *reader.Snapshot, field string, x *expand.Selection, k int) (best []Suggestion, err error) {
	f, ok := s.Field(field)
	if !ok {
		return nil, s.Err()
	}
	segments, terms := s.Segments(), x.Terms(f)
	for n := 0; terms.Next(); n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(best) == k && terms.DF() <= best[k-1].DF {
			continue // and so is the number of its documents that are not deleted
		}
		t := Suggestion{Term: terms.Term()}
		for _, e := range terms.Entries() {
			live, err := segments[e.Segment].LiveDF(e.Entry)
			if err != nil {
				return nil, err
			}
			t.DF += uint64(live)
		}
		at, _ := slices.BinarySearchFunc(best, t, func(a, b Suggestion) int {
			return cmp.Or(cmp.Compare(b.DF, a.DF), bytes.Compare(a.Term, b.Term))
		})
		if t.DF == 0 || at == k {
			continue
		}
		t.Term = slices.Clone(t.Term)
		best = slices.Insert(best[:min(len(best), k-1)], at, t)
	}
	return best, cmp.Or(terms.Err(), x.Err())
}
