package search_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A Match of all words over fields of text and keywords finds what has each word in a text, or the whole text as a keyword.
func TestMatchKeywords(t *testing.T) {
	ctx, fs := t.Context(), memfs.New()
	w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text, Analyzer: "simple"},
		{Name: "brand", Kind: schema.Keyword}, {Name: "title", Kind: schema.Text, Analyzer: "simple"}, {Name: "vector", Kind: schema.Impacts}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for id, values := range map[string][]schema.Value{
		"1": {schema.TextValue(0, "red wine"), schema.TextValue(2, "new")},
		"2": {schema.KeywordValue(1, "red rose"), schema.TextValue(2, "new")},
		"3": {schema.TextValue(0, "red"), schema.TextValue(2, "rose")},
		"4": {schema.TextValue(0, "a red rose"), schema.KeywordValue(1, "red rose")},
		"5": {schema.KeywordValue(1, "red")},
	} {
		if err := w.Add(ctx, writer.Doc{ID: []byte(id), Values: values}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	x, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snapshot, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		fields []string
		text   string
		want   string
	}{
		{[]string{"body", "brand"}, "red rose", "[2 4]"}, {[]string{"body", "title", "brand^2"}, "red rose", "[2 3 4]"}, {[]string{"brand", "vector"}, "red rose", "[2 4]"},
		{[]string{"body", "brand", "vector"}, "red", "[1 3 4 5]"}, {[]string{"body", "brand"}, "rose", "[4]"}, {[]string{"body", "brand"}, "", "[]"},
	} {
		for _, typos := range []bool{false, true} {
			r, err := s.Search(ctx, search.Query{Node: query.Match{Text: c.text, Fields: c.fields, Mode: query.ModeAnd, Typos: typos}, K: 9})
			var ids []string
			for _, h := range r.Hits {
				id, _ := snapshot.AppendID(nil, h.Doc)
				ids = append(ids, string(id))
			}
			slices.Sort(ids)
			if fmt.Sprint(ids) != c.want || err != nil {
				t.Errorf("%q in %v: %v, %v, want %s", c.text, c.fields, ids, err, c.want)
			}
		}
	}
}
