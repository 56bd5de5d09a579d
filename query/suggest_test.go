package query_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/writer"
)

// Suggestions are the most frequent terms by a count of the documents that are not deleted.
func TestSuggest(t *testing.T) {
	rng := rand.New(rand.NewPCG(354, 1))
	docs := books(rng, 300)
	truth := oracle.NewRecords(shelved(), docs)
	s, err := query.NewSearcher(library(t, writer.Options{MergePolicy: writer.NoMerges}, docs, 90).Snapshot(), query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	count := func(field, term string) (n uint64) {
		for _, d := range docs {
			if !d.Deleted && slices.Contains(d.Terms[field], term) {
				n++
			}
		}
		return n
	}
	check := func(what string, got []query.Suggestion, err error, field string, k int, match func(string) bool) {
		t.Helper()
		var want []string
		for _, term := range truth.Terms(field) {
			if match(term) {
				want = append(want, term)
			}
		}
		slices.SortStableFunc(want, func(a, b string) int { return cmp.Compare(count(field, b), count(field, a)) })
		if want = want[:min(k, len(want))]; err != nil || len(got) != len(want) {
			t.Fatalf("%s: %d terms, %v, want %d", what, len(got), err, len(want))
		}
		for i := range got {
			if string(got[i].Term) != want[i] || got[i].DF != count(field, want[i]) {
				t.Fatalf("%s: %s %d, want %s %d", what, got[i].Term, got[i].DF, want[i], count(field, want[i]))
			}
		}
	}
	for range 60 {
		field, word, k := []string{"title", "body", "notes"}[rng.IntN(3)], fmt.Sprint("w", rng.IntN(300)), 1+rng.IntN(12)
		prefix := word[:1+rng.IntN(len(word)-1)]
		got, err := s.Suggest(t.Context(), field, strings.ToUpper(prefix), k)
		check(prefix, got, err, field, k, func(t string) bool { return strings.HasPrefix(t, prefix) })
		word += strings.Repeat("x", rng.IntN(4))
		most := 0
		switch {
		case len(word) < 3:
		case len(word) < 6, slices.ContainsFunc(truth.Terms(field), func(t string) bool { return edits(word, t) <= 1 }):
			most = 1
		default:
			most = 2
		}
		got, err = s.Similar(t.Context(), field, word, k)
		check(word, got, err, field, k, func(t string) bool { return most > 0 && edits(word, t) <= most })
	}
	var none context.Context // nil is context.Background
	if got, err := s.Suggest(none, "shelf", "", 0); err != nil || len(got) != 4 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := s.Suggest(t.Context(), "shelf", "S", -1); !errors.Is(err, query.ErrInvalid) {
		t.Error(err)
	}
	if _, err := s.Similar(t.Context(), "nope", "S", 1); !errors.Is(err, query.ErrInvalid) {
		t.Error(err)
	}
	if _, err := s.Similar(t.Context(), "title", strings.Repeat("w", 300), 1); !errors.Is(err, query.ErrInvalid) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Suggest(ctx, "title", "w", 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s.Close()
	for _, s := range []*query.Searcher{s, new(query.Searcher)} {
		if _, err := s.Suggest(t.Context(), "title", "w", 1); !errors.Is(err, query.ErrClosed) {
			t.Error(err)
		}
	}
}
