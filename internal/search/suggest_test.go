package search_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Suggestions are the most frequent terms by a count of the documents that are not deleted.
func TestSuggest(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(354, 1))
	docs := books(rng, 300)
	truth := oracle.NewRecords(shelved(), docs)
	s, err := search.NewSearcher(library(t, writer.Options{MergePolicy: writer.NoMerges}, docs, 90).Snapshot(), search.Options{})
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
	check := func(what string, got []search.Suggestion, err error, field string, k int, match, alike func(string) bool) {
		t.Helper()
		var want []string
		for _, term := range truth.Terms(field) {
			if match(term) {
				want = append(want, term)
			}
		}
		slices.SortStableFunc(want, func(a, b string) int {
			if alike(a) != alike(b) {
				return map[bool]int{true: -1, false: 1}[alike(a)]
			}
			return cmp.Compare(count(field, b), count(field, a))
		})
		if want = want[:min(k, len(want))]; err != nil || len(got) != len(want) {
			t.Fatalf("%s: %d terms, %v, want %d", what, len(got), err, len(want))
		}
		for i := range got {
			if string(got[i].Term) != want[i] || got[i].DF != count(field, want[i]) {
				t.Fatalf("%s: %s %d, want %s %d", what, got[i].Term, got[i].DF, want[i], count(field, want[i]))
			}
		}
	}
	for range longtest.Count(25, 60) {
		field, word, k := []string{"title", "body", "notes"}[rng.IntN(3)], fmt.Sprint("w", rng.IntN(300)), 1+rng.IntN(12)
		prefix := word[:1+rng.IntN(len(word)-1)]
		got, err := s.Suggest(t.Context(), field, strings.ToUpper(prefix), k)
		check(prefix, got, err, field, k, func(t string) bool { return strings.HasPrefix(t, prefix) }, func(string) bool { return true })
		if word += strings.Repeat("x", rng.IntN(4)); rng.IntN(2) == 0 {
			word = word[1:] // begins as no term does
		}
		most := 0
		switch {
		case len(word) < 3:
		case len(word) < 6, slices.ContainsFunc(truth.Terms(field), func(t string) bool { return edits(word, t) <= 1 }):
			most = 1
		default:
			most = 2
		}
		got, err = s.Similar(t.Context(), field, word, k)
		check(word, got, err, field, k, func(t string) bool { return most > 0 && edits(word, t) <= most }, func(t string) bool { return t[0] == word[0] })
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
	for _, s := range []*search.Searcher{s, new(search.Searcher)} {
		if _, err := s.Suggest(t.Context(), "title", "w", 1); !errors.Is(err, query.ErrClosed) {
			t.Error(err)
		}
	}
}

// What may have been meant begins as what was typed, if there is such a word, however rare it is. Stems are not shown.
func TestSuggestWords(t *testing.T) {
	languages := []string{"english", "german", "french", "russian", "turkish", "tamil"}
	o := writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "plain", Kind: schema.Text, Analyzer: "standard"}, {Name: "k", Kind: schema.Keyword}}}}
	for _, l := range languages {
		o.Schema.Fields = append(o.Schema.Fields, schema.Field{Name: l, Kind: schema.Text, Analyzer: l})
	}
	d := writer.Doc{ID: []byte("1")}
	const text = "universities organization easily rosemary nosemery bat bat"
	for i := range o.Schema.Fields {
		v := schema.TextValue(i, []byte(text))
		if o.Schema.Fields[i].Kind == schema.Keyword {
			v = schema.KeywordValue(i, []byte("universities"))
		}
		d.Values = append(d.Values, v)
	}
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, o)
	if err != nil {
		t.Fatal(err)
	}
	more := writer.Doc{ID: []byte("2"), Values: []schema.Value{schema.TextValue(0, []byte("nosemery rat car"))}}
	if err := errors.Join(w.Add(t.Context(), d), w.Add(t.Context(), more), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	terms := func(all []search.Suggestion, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, x := range all {
			words = append(words, string(x.Term))
		}
		return strings.Join(words, " ")
	}
	if got := terms(s.Similar(t.Context(), "plain", "rosemery", 3)); got != "rosemary nosemery" {
		t.Errorf("rosemery is like %s", got)
	}
	if got := terms(s.Similar(t.Context(), "plain", "cat", 2)); got != "car bat" {
		t.Errorf("cat is like %s", got)
	}
	if got := terms(s.Suggest(t.Context(), "plain", "univer", 3)) + "," + terms(s.Suggest(t.Context(), "k", "univer", 3)); got != "universities,universities" {
		t.Errorf("univer is completed to %s", got)
	}
	for _, l := range languages {
		if got := terms(s.Suggest(t.Context(), l, "r", 9)) + terms(s.Suggest(t.Context(), l, "universit", 9)) + terms(s.Similar(t.Context(), l, "rosemery", 9)); got != "" {
			t.Errorf("stems of %s are shown: %s", l, got)
		}
	}
}
