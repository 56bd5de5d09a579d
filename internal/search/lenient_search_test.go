package search_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Whatever is typed can be searched for, in indexes with and without a schema.
func TestLenientAnswers(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "english", Positions: true}, {Name: "body", Kind: schema.Text},
		{Name: "tag", Kind: schema.Keyword}, {Name: "price", Kind: schema.Float, Column: true},
	}}
	rose := []byte("A red rose at 10:30")
	doc := writer.Doc{ID: []byte("1"), Values: []schema.Value{schema.TextValue(0, rose), schema.TextValue(1, rose), schema.KeywordValue(2, rose), schema.FloatValue(3, 1)}}
	fields := searcherOf(t, writer.Options{Schema: s}, func(w *writer.Writer) error { return w.Add(t.Context(), doc) })
	plain := searcherOf(t, writer.Options{}, func(w *writer.Writer) error {
		return w.Add(t.Context(), writer.Text([]byte("1"), rose))
	})
	marks := strings.Split(`red rose 10:30 title: tag: price: nope: : ( ) " “ ” ? * + - ! ^ ^2 ~ \ [ 10 .. < >= AND OR NOT "red~rose" `, " ")
	marks = append(marks, " ", " ", " ", `"red rose"`, `"red rose at"`)
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(marks), 0, 14).Draw(rt, "text"), "")
		for _, x := range []*search.Searcher{fields, plain} {
			if _, err := x.Search(t.Context(), search.Query{Node: x.ParseLenient(text).Node}); err != nil {
				rt.Fatalf("%q: %v", text, err)
			}
		}
	})
	for _, x := range []*search.Searcher{fields, plain} {
		typed := x.ParseLenient(`at 10:30 - "red rose`)
		r, err := x.Search(t.Context(), search.Query{Node: typed.Node})
		if err != nil || len(r.Hits) != 1 || len(typed.Words) != 3 {
			t.Errorf("%+v, %v, %q", r.Hits, err, typed.Words)
		}
	}
}

// searcherOf returns a Searcher over what add adds.
func searcherOf(t *testing.T, o writer.Options, add func(*writer.Writer) error) *search.Searcher {
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(add(w), w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	snapshot, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { snapshot.Close() })
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
