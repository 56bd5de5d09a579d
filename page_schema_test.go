package pinion_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// shop is a schema with fields of every kind.
func shop() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "english", Stored: true, Boost: 2},
		{Name: "body", Kind: schema.Text, Stored: true, Lengths: schema.LengthsByte},
		{Name: "tag", Kind: schema.Keyword, Stored: true},
		{Name: "size", Kind: schema.Integer, Stored: true},
		{Name: "price", Kind: schema.Float, Stored: true},
		{Name: "made", Kind: schema.Time, Stored: true},
		{Name: "words", Kind: schema.Text},
	}}
}

func drawValue(t *rapid.T, s *schema.Schema, field int) schema.Value {
	switch s.Fields[field].Kind {
	case schema.Text:
		return schema.TextValue(field, []byte(drawText(t, "text", 20)))
	case schema.Keyword:
		return schema.KeywordValue(field, []byte(rapid.SampledFrom(words).Draw(t, "keyword")))
	case schema.Integer:
		return schema.IntegerValue(field, rapid.Int64().Draw(t, "integer"))
	case schema.Float:
		return schema.FloatValue(field, rapid.Float64Range(-1e300, 1e300).Draw(t, "float"))
	}
	return schema.TimeValue(field, time.Unix(rapid.Int64Range(-1e9, 4e9).Draw(t, "time"), 0))
}

// Hits have the values that the documents were added with, field after field as the request
// names them, whether segments are merged and fields renamed or dropped.
func TestValues(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		fs, s := memfs.New(), shop()
		w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		docs := map[string][]schema.Value{}
		for i := range rapid.IntRange(1, 12).Draw(t, "documents") {
			d := writer.Doc{ID: fmt.Append(nil, i)}
			for range rapid.IntRange(0, 9).Draw(t, "values") {
				d.Values = append(d.Values, drawValue(t, s, rapid.IntRange(0, len(s.Fields)-1).Draw(t, "field")))
			}
			docs[string(d.ID)] = d.Values
			err := w.Add(ctx, d)
			if err == nil && rapid.IntRange(0, 3).Draw(t, "flush") == 0 {
				err = w.Flush(ctx)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if rapid.Bool().Draw(t, "merge") {
			if _, err := w.Merge(ctx, writer.MergeOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		names := make([]string, len(s.Fields)) // as they are now, "" if dropped
		for i, f := range s.Fields {
			names[i] = f.Name
		}
		if rapid.Bool().Draw(t, "change") {
			changeSchema(t, fs, names)
		}
		checkValues(t, fs, names, docs)
	})
}

// changeSchema renames the title and drops the tag.
func changeSchema(t *rapid.T, fs *memfs.FS, names []string) {
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snap, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	s, err := snap.Schema().Rename("title", "heading")
	if err == nil {
		s, err = s.Drop("tag")
	}
	if err != nil {
		t.Fatal(err)
	}
	w, err := writer.OpenFS(context.Background(), fs, writer.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "rewrite") {
		if _, err := w.Merge(context.Background(), writer.MergeOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(context.Background()), w.Close()); err != nil {
		t.Fatal(err)
	}
	names[0], names[2] = "heading", ""
}

// checkValues shows all documents.
func checkValues(t *rapid.T, fs *memfs.FS, names []string, docs map[string][]schema.Value) {
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snap, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	pages, err := pinion.NewView(snap, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pages.Close()
	var hits []search.Hit
	for doc := range uint32(snap.Stats().Docs) {
		hits = append(hits, search.Hit{Doc: doc})
	}
	r := pinion.Request{Query: query.Match{Text: "run the 東京都"}, Snippet: &pinion.Snippet{Field: rapid.SampledFrom([]string{"", "body"}).Draw(t, "snippet")}}
	now := snap.Schema()
	for _, i := range rapid.Permutation([]int{0, 1, 2, 3, 4, 5}).Draw(t, "fields") {
		if names[i] != "" {
			r.Fields = append(r.Fields, names[i])
		}
	}
	page, err := pages.ShowFound(context.Background(), hits, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range page.Hits {
		var want, got, longest []string
		for _, name := range r.Fields {
			for _, v := range docs[string(h.ID)] {
				if names[v.Field] == name {
					want = append(want, name+" "+v.String())
					if v.Kind == schema.Text && (r.Snippet.Field == "" || name == r.Snippet.Field) {
						longest = append(longest, string(v.Bytes()))
					}
				}
			}
		}
		for _, v := range h.Values {
			got = append(got, now.Fields[v.Field].Name+" "+v.String())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("document %s: %q, want %q", h.ID, got, want)
		}
		if len(h.Passage().Text) > 0 != slices.ContainsFunc(longest, func(s string) bool { return s != "" }) ||
			!slices.ContainsFunc(append(longest, ""), func(s string) bool { return strings.Contains(s, string(h.Passage().Text)) }) {
			t.Fatalf("document %s: passage %q of %q", h.ID, h.Passage().Text, longest)
		}
	}
}

// What the schema cannot answer names the field.
func TestSchemaErrors(t *testing.T) {
	fs := memfs.New()
	w, err := writer.OpenFS(context.Background(), fs, writer.Options{Schema: shop()})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Commit(context.Background()), w.Close()); err != nil {
		t.Fatal(err)
	}
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snap, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	pages, err := pinion.NewView(snap, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pages.Close()
	match := query.Match{Text: "x"}
	for want, r := range map[string]pinion.Request{
		`there is no field "", but title, body, tag`:       {Query: match, Fields: []string{""}},
		`field "words" is not stored`:                      {Query: match, Fields: []string{"title", "words"}},
		`snippet of field "tag", which is of kind keyword`: {Query: match, Snippet: &pinion.Snippet{Field: "tag"}},
		`field "none"`: {Query: match, Snippet: &pinion.Snippet{Field: "none"}},
	} {
		if _, err := pages.Search(t.Context(), r); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one that says %s", err, want)
		}
	}
}
