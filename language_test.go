package pinion

import (
	"errors"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// TestLanguage holds that Options.Language names analyzers where nothing else does, and what it refuses.
func TestLanguage(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	x, err := Open(ctx, dir, Options{Language: "en-US"})
	if err := errors.Join(err, x.Add(ctx, Text("1", "the shepherds of the caf\u00e9"))); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"shepherd", "cafes"} {
		page, err := x.Search(ctx, Request{Query: query.Match{Text: text}})
		if err != nil || len(page.Hits) != 1 {
			t.Errorf("%s: %v, %v", text, page, err)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = Open(ctx, dir, Options{}); err != nil { // the index's own
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	s := &schema.Schema{Fields: []schema.Field{{Name: "a", Kind: schema.Text}, {Name: "b", Kind: schema.Text, Analyzer: "simple"}, {Name: "c", Kind: schema.Keyword}}}
	if x, err = Open(ctx, t.TempDir(), Options{Schema: s, Language: "en"}); err != nil {
		t.Fatal(err)
	}
	if f := x.Schema().Fields; f[0].Analyzer != "english" || f[1].Analyzer != "simple" || f[2].Analyzer != "" || s.Fields[0].Analyzer != "" {
		t.Errorf("fields %+v of %+v", f, s.Fields)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	// A schema that says its language says the same, in Go and in JSON.
	parsed, err := schema.Parse([]byte(`{"language": "en", "fields": [{"name": "a", "kind": "text"}, {"name": "b", "kind": "text", "analyzer": "simple"}, {"name": "c", "kind": "keyword"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	spoken := s.Clone()
	spoken.Language = "en"
	if !parsed.Equal(spoken) {
		t.Errorf("%+v", parsed)
	}
	own := t.TempDir()
	for _, o := range []Options{{Schema: spoken}, {Schema: parsed, Language: "en"}} {
		if x, err = Open(ctx, own, o); err != nil {
			t.Fatal(err)
		}
		if got := x.Schema(); got.Fields[0].Analyzer != "english" || got.Fields[1].Analyzer != "simple" || got.Language != "" {
			t.Errorf("fields %+v", got)
		}
		next := &schema.Schema{Language: "en", Fields: []schema.Field{{Name: "more", Kind: schema.Text}}}
		if err := x.Evolve(ctx, next); err != nil || x.Schema().Fields[3].Analyzer != "english" {
			t.Errorf("%+v, %v", x.Schema(), err)
		}
		if err := errors.Join(x.Add(ctx, Doc{ID: "1", Fields: map[string]any{"a": "roses"}}), x.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := spoken.Adopt(&schema.Schema{}); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), `language "en"`) {
		t.Errorf("adopted by itself: %v", err)
	}
	unknown := &schema.Schema{Language: "tlh", Fields: s.Fields}
	simple, err := analysis.New("simple", "")
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	w, err := writer.Open(ctx, other, writer.Options{Schema: schema.Implicit("simple", "", false)})
	if err := errors.Join(err, w.Add(ctx, writer.Text([]byte("1"), []byte("x"))), w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir  string
		o    Options
		is   error
		says string
	}{
		{t.TempDir(), Options{Language: "tlh"}, ErrInvalid, `Language is "tlh", for which there is no analyzer`},
		{t.TempDir(), Options{Language: "en", Analyzer: simple}, ErrInvalid, "there is an Analyzer"},
		{t.TempDir(), Options{Schema: unknown}, ErrInvalid, `language "tlh"`},
		{t.TempDir(), Options{Schema: unknown, Language: "en"}, ErrInvalid, `Language is "en", and in the schema "tlh"`},
		{own, Options{Schema: &schema.Schema{Language: "de", Fields: s.Fields}}, schema.ErrInvalid, `field "a": analyzer is german, in the index english`},
		{other, Options{Language: "en"}, writer.ErrAnalyzer, "made with simple"},
	} {
		if _, err := Open(ctx, c.dir, c.o); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}
