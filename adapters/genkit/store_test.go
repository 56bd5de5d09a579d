package forgenkit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"

	"github.com/pinion-index/pinion"
	forgenkit "github.com/pinion-index/pinion/adapters/genkit"
	"github.com/pinion-index/pinion/embedding"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// kit is a Genkit with an embedder for tests: a text has the topics of its words.
type kit struct {
	*genkit.Genkit
	embedder ai.Embedder
	texts    int
	fails    error
	short    bool
}

var topics = map[string][]float32{"hello": {1, 0, 0}, "hi": {1, 0.3, 0}, "goodbye": {0, 1, 0}, "lamp": {0, 0, 1}}

func newKit(t testing.TB, name string) *kit {
	k := &kit{Genkit: genkit.Init(t.Context())}
	k.embedder = genkit.DefineEmbedder(k.Genkit, "fake/"+name, &ai.EmbedderOptions{Dimensions: 3}, func(_ context.Context, r *ai.EmbedRequest) (*ai.EmbedResponse, error) {
		if k.fails != nil {
			return nil, k.fails
		}
		a := &ai.EmbedResponse{}
		for _, d := range r.Input {
			k.texts++
			v := []float32{0.001, 0.001, 0.001}
			for word := range strings.FieldsSeq(d.Content[0].Text) {
				for i, x := range topics[word] {
					v[i] += x
				}
			}
			a.Embeddings = append(a.Embeddings, &ai.Embedding{Embedding: v})
		}
		if k.short {
			a.Embeddings = nil
		}
		return a, nil
	})
	return k
}

func (k *kit) define(t testing.TB, name string, c forgenkit.Config) (*forgenkit.Store, ai.Retriever) {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	c.Embedder = k.embedder
	s, r, err := forgenkit.DefineRetriever(t.Context(), k.Genkit, name, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, r
}

func retrieve(t testing.TB, r ai.Retriever, text string, options any) (all []string) {
	t.Helper()
	a, err := r.Retrieve(t.Context(), &ai.RetrieverRequest{Query: ai.DocumentFromText(text, nil), Options: options})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range a.Documents {
		all = append(all, d.Content[0].Text)
	}
	return all
}

func TestRetriever(t *testing.T) {
	k := newKit(t, "e")
	s, r := k.define(t, "notes", forgenkit.Config{Fields: []schema.Field{{Name: "lang", Kind: schema.Keyword, Column: true}, {Name: "year", Kind: schema.Integer, Column: true}}})
	whole := &ai.Document{Content: []*ai.Part{ai.NewTextPart("hello"), ai.NewMediaPart("image/png", "data:,x")}, Metadata: map[string]any{"lang": "en", "other": map[string]any{"a": 1.0}}}
	docs := []*ai.Document{whole, ai.DocumentFromText("hi", map[string]any{"lang": "en", "year": 2001}), ai.DocumentFromText("goodbye", map[string]any{"lang": "fr", "year": 2002}), ai.DocumentFromText("lamp", nil)}
	ids, err := s.Add(t.Context(), docs...)
	if err != nil || len(ids) != 4 {
		t.Fatal(ids, err)
	}
	if again, err := s.Add(t.Context(), docs[:2]...); err != nil || !slices.Equal(again, ids[:2]) || s.Index().Len() != 4 {
		t.Errorf("added again: %q, %d documents, %v", again, s.Index().Len(), err)
	}
	if r.Name() != "pinion/notes" || forgenkit.Retriever(k.Genkit, "notes") == nil || forgenkit.Retriever(k.Genkit, "none") != nil {
		t.Errorf("the retriever is called %s", r.Name())
	}
	for _, c := range []struct {
		options any
		want    string
	}{
		{&forgenkit.RetrieverOptions{K: 2}, "hello hi"},
		{forgenkit.RetrieverOptions{K: 100}, "hello hi goodbye lamp"},
		{nil, "hello hi goodbye"},
		{map[string]any{"k": 1}, "hello"},
		{map[string]any{"filter": "lang=fr", "k": 3}, "goodbye"},
		{&forgenkit.RetrieverOptions{Filter: "year>=2001"}, "hi goodbye"},
		{&forgenkit.RetrieverOptions{Filter: "year>=2001", Where: query.Equal("lang", "en")}, "hi"},
		{&forgenkit.RetrieverOptions{Where: query.Not{Node: query.Exists{Field: "lang"}}}, "lamp"},
		{&forgenkit.RetrieverOptions{MinScore: 0.9}, "hello hi"},
		{map[string]any{"minScore": 0.99}, "hello"},
	} {
		if got := strings.Join(retrieve(t, r, "hello", c.options), " "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.options, got, c.want)
		}
	}
	a, err := genkit.Retrieve(t.Context(), k.Genkit, ai.WithRetrieverName("pinion/notes"), ai.WithTextDocs("hello"), ai.WithConfig(&forgenkit.RetrieverOptions{K: 1}))
	if err != nil || len(a.Documents) != 1 || len(a.Documents[0].Content) != 2 || a.Documents[0].Content[1].Text != "data:,x" || fmt.Sprint(a.Documents[0].Metadata) != fmt.Sprint(whole.Metadata) {
		t.Errorf("%+v, %v", a, err)
	}
	for _, bad := range []any{1, map[string]any{"K2": 1}, map[string]any{"k": "x"}, map[string]any{"k": func() {}}, forgenkit.RetrieverOptions{K: -1}, forgenkit.RetrieverOptions{K: pinion.MaxRanked + 1},
		forgenkit.RetrieverOptions{MinScore: 1.5}, forgenkit.RetrieverOptions{MinScore: -1}, forgenkit.RetrieverOptions{Filter: "none=1"}, forgenkit.RetrieverOptions{Filter: "("}} {
		if _, err := r.Retrieve(t.Context(), &ai.RetrieverRequest{Query: docs[0], Options: bad}); err == nil {
			t.Errorf("options %+v are taken", bad)
		}
	}
	for _, d := range []*ai.Document{{}, ai.DocumentFromText(" ", nil)} {
		if _, err := r.Retrieve(t.Context(), &ai.RetrieverRequest{Query: d}); err == nil {
			t.Error("a query without text is answered")
		}
		if _, err := s.Add(t.Context(), docs[0], d); !errors.Is(err, pinion.ErrInvalid) {
			t.Errorf("a document without text: %v", err)
		}
	}
	for _, m := range []map[string]any{{"year": "soon"}, {"x": func() {}}} {
		if _, err := s.Add(t.Context(), ai.DocumentFromText("hi", m)); !errors.Is(err, pinion.ErrInvalid) || s.Index().Len() != 4 {
			t.Errorf("%v: %v, %d documents", m, err, s.Index().Len())
		}
	}
	if n, err := s.DeleteWhere(t.Context(), "lang=en"); n != 2 || err != nil {
		t.Errorf("%d deleted: %v", n, err)
	}
	if _, err := s.DeleteWhere(t.Context(), "none=1"); !errors.Is(err, pinion.ErrInvalid) {
		t.Error(err)
	}
	if err := s.Delete(t.Context(), ids[3], "none"); err != nil || s.Index().Len() != 1 {
		t.Errorf("%d documents are left: %v", s.Index().Len(), err)
	}
}

// TestHybrid finds by words what vectors do not tell apart.
func TestHybrid(t *testing.T) {
	k := newKit(t, "e")
	s, r := k.define(t, "notes", forgenkit.Config{Hybrid: true, ID: func(d *ai.Document) string { return d.Content[0].Text }})
	if ids, err := s.Add(t.Context(), ai.DocumentFromText("lamp E1041", nil), ai.DocumentFromText("lamp E1042", nil)); err != nil || ids[0] != "lamp E1041" {
		t.Fatal(ids, err)
	}
	if got := retrieve(t, r, "E1042", &forgenkit.RetrieverOptions{K: 1}); !slices.Equal(got, []string{"lamp E1042"}) {
		t.Errorf("%q", got)
	}
	if _, err := r.Retrieve(t.Context(), &ai.RetrieverRequest{Query: ai.DocumentFromText("x", nil), Options: forgenkit.RetrieverOptions{MinScore: 0.5}}); err == nil {
		t.Error("a score of ranks is compared")
	}
}

// TestPersistent adds to a store again, whose texts are not embedded again, and refuses another model.
func TestPersistent(t *testing.T) {
	dir := t.TempDir()
	texts := 0
	for i, text := range []string{"hello", "hello", "goodbye"} {
		k := newKit(t, "e")
		cache, err := embedding.OpenCache(dir + "/vectors")
		if err != nil {
			t.Fatal(err)
		}
		s, r := k.define(t, "notes", forgenkit.Config{Dir: dir + "/x.idx", Dims: 3, Cache: cache})
		if _, err := s.Add(t.Context(), ai.DocumentFromText(text, nil)); err != nil {
			t.Fatal(err)
		}
		texts += k.texts
		if got := retrieve(t, r, "hello", nil); len(got) != 1+i/2 || got[0] != "hello" {
			t.Errorf("%d: %q", i, got)
		}
		if err := errors.Join(s.Close(), cache.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if texts != 2 {
		t.Errorf("%d texts were embedded", texts)
	}
	k, other := newKit(t, "e"), newKit(t, "other")
	for _, c := range []forgenkit.Config{{}, {Dir: dir}, {Dir: dir + "/x.idx", Embedder: other.embedder}, {Dir: dir + "/x.idx", Embedder: k.embedder, Dims: 4},
		{Dir: dir, Embedder: k.embedder, Index: pinion.Options{Schema: &schema.Schema{}}}, {Dir: t.TempDir(), Embedder: k.embedder, Fields: []schema.Field{{Name: "text", Kind: schema.Keyword}}}} {
		if _, _, err := forgenkit.DefineRetriever(t.Context(), k.Genkit, "notes", c, nil); !errors.Is(err, pinion.ErrInvalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, _, err := forgenkit.DefineRetriever(t.Context(), k.Genkit, "", forgenkit.Config{Dir: dir, Embedder: k.embedder}, nil); !errors.Is(err, pinion.ErrInvalid) {
		t.Error(err)
	}
	k.short = true
	if _, _, err := forgenkit.DefineRetriever(t.Context(), k.Genkit, "notes", forgenkit.Config{Dir: t.TempDir(), Embedder: k.embedder}, nil); err == nil || !strings.Contains(err.Error(), "vectors of 1 texts") {
		t.Error(err)
	}
	k.short = false
	s, r := k.define(t, "more", forgenkit.Config{})
	if _, _, err := forgenkit.DefineRetriever(t.Context(), k.Genkit, "more", forgenkit.Config{Dir: t.TempDir(), Embedder: k.embedder}, nil); !errors.Is(err, pinion.ErrInvalid) {
		t.Errorf("a name that is there already: %v", err)
	}
	k.fails = errors.New("down")
	if _, err := s.Add(t.Context(), ai.DocumentFromText("lamp", nil)); !errors.Is(err, pinion.ErrEmbed) || s.Index().Len() != 0 {
		t.Error(err)
	}
	if _, err := r.Retrieve(t.Context(), &ai.RetrieverRequest{Query: ai.DocumentFromText("x", nil)}); err == nil {
		t.Error("a query without a vector is answered")
	}
}
