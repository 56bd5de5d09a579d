package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/engine/expand"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Suggestion is a term of a field, and how many documents have it that are not deleted.
type Suggestion struct {
	Term []byte
	DF   uint64
}

// Suggest returns up to k terms of a field that begin with prefix, which is folded as the field's words are: the most
// frequent first, and equally frequent ones in bytewise order. Of a field whose analyzer stems (analysis.Stems) there are
// none: stems are not words, and the index does not have these as they stand. A k of 0 means DefaultK. The error is that
// of ctx, or matches ErrInvalid, ErrClosed, analysis.ErrUnknown or format.ErrCorrupt.
func (s *Searcher) Suggest(ctx context.Context, field, prefix string, k int) ([]Suggestion, error) {
	return s.suggest(ctx, field, k, prefixes{Text: prefix})
}

// Similar is Suggest for the terms that one edit makes of word, or two if one makes none and the word has more than
// five characters: what may have been meant by a word that the field does not have. Those that begin with the same character
// come first. Of words of one or two characters there are none.
func (s *Searcher) Similar(ctx context.Context, field, word string, k int) (found []Suggestion, err error) {
	if _, err := s.parserOf(field); err != nil || s.IsPart(field, []byte(word)) {
		return nil, err
	}
	for edits := 1; edits <= editsByLength(word) && len(found) == 0 && err == nil; edits++ {
		found, err = s.edited(ctx, field, k, fuzzy{Text: word, Edits: edits})
	}
	return found, err
}

// edited returns the terms that x means, those that begin as it does first.
func (s *Searcher) edited(ctx context.Context, field string, k int, x fuzzy) ([]Suggestion, error) {
	alike := x
	alike.FixedPrefix = 1
	found, err := s.suggest(ctx, field, k, alike)
	if err != nil || len(found) == cmp.Or(k, query.DefaultK) {
		return found, err
	}
	all, err := s.suggest(ctx, field, k, x)
	for _, t := range all {
		if len(found) < cmp.Or(k, query.DefaultK) && !slices.ContainsFunc(found, func(f Suggestion) bool { return bytes.Equal(f.Term, t.Term) }) {
			found = append(found, t)
		}
	}
	return found, err
}

// Stems reports whether the terms of a field may be no words of its texts.
func (s *Searcher) Stems(field string) bool {
	f, err := s.parserOf(field)
	return err == nil && analysis.Stems(f.Analyzer)
}

// IsPart reports whether a term of a field stands for a part of words.
func (s *Searcher) IsPart(field string, term []byte) bool {
	f, err := s.parserOf(field)
	if err != nil {
		return false
	}
	c := f.Compound()
	return c != nil && bytes.HasPrefix(term, []byte(c.Mark()))
}

// parserOf returns the parser of a field.
func (s *Searcher) parserOf(field string) (*fields.Field, error) {
	if err := s.parser.check(); err != nil {
		return nil, err
	}
	i, err := s.parser.Number(field)
	if err != nil {
		return nil, err
	}
	return s.parser.Fields[i], s.parser.Fields[i].Err
}

// suggest returns the k most frequent of the terms of wholes that n means.
func (s *Searcher) suggest(ctx context.Context, field string, k int, n expansion) ([]Suggestion, error) {
	f, err := s.parserOf(field)
	if err != nil {
		return nil, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if k = cmp.Or(k, query.DefaultK); k < 0 {
		return nil, fmt.Errorf("%w: %d terms", query.ErrInvalid, k)
	}
	if analysis.Stems(f.Analyzer) {
		return nil, ctx.Err()
	}
	of, err := selections(f, n)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", query.ErrInvalid, err)
	}
	snapshot := s.engine.Snapshot()
	if snapshot == nil {
		return nil, fmt.Errorf("%w: a Searcher without a snapshot", query.ErrInvalid)
	}
	return frequent(ctx, snapshot.WithContext(ctx), field, &of[0], k)
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
		if x.Omits(terms.Term()) {
			continue
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
