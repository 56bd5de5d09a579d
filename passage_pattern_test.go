package pinion_test

import (
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Passages mark the words that patterns stand for, in the fields that these search.
func TestPatternsMarked(t *testing.T) {
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: shop()})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(err)
	text := strings.Repeat("far away ", 200) + "the Shepherd kept sheep and a ship"
	do(w.Add(t.Context(), writer.Doc{ID: []byte("a"), Values: []schema.Value{
		schema.TextValue(0, []byte("shelter")), schema.TextValue(1, []byte(text))}}))
	do(w.Commit(t.Context()))
	do(w.Close())
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	defer x.Close()
	snapshot, err := x.Snapshot()
	do(err)
	defer snapshot.Close()
	s, err := pinion.NewView(snapshot, nil)
	do(err)
	defer s.Close()
	for want, n := range map[string]query.Node{
		"Shepherd sheep":      query.Prefix{Field: "body", Text: "SHE"},
		"sheep ship":          query.Const{Node: query.Wildcard{Pattern: "sh*p"}},
		"Shepherd":            query.Fuzzy{Text: "sheperd", Edits: 1},
		"kept Shepherd sheep": query.Bool{Must: []query.Node{query.Match{Field: "body", Text: "kept"}}, Should: []query.Node{query.Regexp{Field: "body", Pattern: "she.*"}}},
		"shelter":             query.Prefix{Field: "title", Text: "shel", Scored: true},
	} {
		page, err := s.Search(t.Context(), pinion.Request{Query: n, Snippet: &pinion.Snippet{Length: 60}})
		do(err)
		if len(page.Hits) != 1 {
			t.Fatalf("%+v: %d hits", n, len(page.Hits))
		}
		h, marked := page.Hits[0], map[string]bool{}
		for _, span := range h.Passage().Spans {
			marked[string(h.Passage().Text[span.Start:span.End])] = true
		}
		for _, word := range strings.Fields(want) {
			if !marked[word] {
				t.Errorf("%+v: %q is not marked in %q", n, word, h.Passage().Text)
			}
		}
		if len(marked) != len(strings.Fields(want)) {
			t.Errorf("%+v: marked are %v, want %s", n, marked, want)
		}
	}
}
