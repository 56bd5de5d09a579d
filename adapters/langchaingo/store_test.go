package forlangchain_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/embeddings"
	langchain "github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	forlangchain "github.com/pinion-index/pinion/adapters/langchaingo"
	"github.com/pinion-index/pinion/embedding"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// topics is an embedder for tests: a text has the topics of its words.
type topics struct {
	texts int
	fails error
}

var words = map[string][]float32{
	"japan": {1, 0, 0, 0}, "tokyo": {1, 0.2, 0, 0}, "osaka": {1, 0.3, 0, 0}, "france": {0, 1, 0, 0}, "paris": {0.2, 1, 0, 0},
	"potato": {0, 0, 1, 0}, "desk": {0, 0, 0.2, 1}, "lamp": {0, 0, 0, 1},
}

func (e *topics) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	v := []float32{0.001, 0.001, 0.001, 0.001}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		for i, x := range words[strings.Trim(word, ".,?")] {
			v[i] += x
		}
	}
	return v, e.fails
}

func (e *topics) EmbedDocuments(ctx context.Context, texts []string) (all [][]float32, err error) {
	e.texts += len(texts)
	for _, t := range texts {
		v, _ := e.EmbedQuery(ctx, t)
		all = append(all, v)
	}
	return all, e.fails
}

var _ embeddings.Embedder = (*topics)(nil)

var fields = []schema.Field{{Name: "country", Kind: schema.Keyword, Column: true}, {Name: "year", Kind: schema.Integer, Column: true},
	{Name: "size", Kind: schema.Float, Column: true}, {Name: "seen", Kind: schema.Time, Column: true}}

func open(t testing.TB, dir string, o forlangchain.Options) *forlangchain.Store {
	t.Helper()
	if o.Embedder == nil {
		o.Embedder = &topics{}
	}
	o.Fields = fields
	s, err := forlangchain.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func add(t testing.TB, s *forlangchain.Store, docs []langchain.Document, o ...vectorstores.Option) []string {
	t.Helper()
	ids, err := s.AddDocuments(t.Context(), docs, o...)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// texts returns what a search finds.
func texts(t testing.TB, s *forlangchain.Store, text string, n int, o ...vectorstores.Option) (all []string) {
	t.Helper()
	docs, err := s.SimilaritySearch(t.Context(), text, n, o...)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		all = append(all, d.PageContent)
	}
	return all
}

func TestStore(t *testing.T) {
	s := open(t, t.TempDir(), forlangchain.Options{})
	ids := add(t, s, []langchain.Document{{PageContent: "tokyo", Metadata: map[string]any{"country": "japan", "year": 1868, "tags": []string{"a", "b"}}}, {PageContent: "potato"}})
	if len(ids) != 2 || ids[0] == ids[1] || len(ids[0]) < 16 {
		t.Errorf("ids %q", ids)
	}
	docs, err := s.SimilaritySearch(t.Context(), "japan", 1)
	if err != nil || len(docs) != 1 || docs[0].PageContent != "tokyo" || docs[0].Metadata["country"] != "japan" || docs[0].Metadata["year"] != 1868.0 || fmt.Sprint(docs[0].Metadata["tags"]) != "[a b]" {
		t.Errorf("%v, %v", docs, err)
	}
	if want := 1.001 / math.Sqrt(1.001*1.001+0.201*0.201); math.Abs(float64(docs[0].Score)-want) > 1e-3 {
		t.Errorf("score %v, want %v", docs[0].Score, want)
	}
	if found, err := vectorstores.ToRetriever(s, 5).GetRelevantDocuments(t.Context(), "desk"); err != nil || len(found) != 2 {
		t.Errorf("a retriever: %v, %v", found, err)
	}
	if err := s.Delete(t.Context(), ids[0], "none"); err != nil || len(texts(t, s, "japan", 5)) != 1 {
		t.Errorf("a delete: %v", err)
	}
	if ids := add(t, s, nil); ids == nil || len(ids) != 0 {
		t.Errorf("ids of nothing: %v", ids)
	}
}

func TestScoreThreshold(t *testing.T) {
	s := open(t, t.TempDir(), forlangchain.Options{})
	add(t, s, []langchain.Document{{PageContent: "Tokyo"}, {PageContent: "Osaka"}, {PageContent: "Paris"}, {PageContent: "Potato"}, {PageContent: "Lamp"}})
	const q = "Which of these are cities in Japan"
	if got := texts(t, s, q, 10, vectorstores.WithScoreThreshold(0.8)); !slices.Equal(got, []string{"Tokyo", "Osaka"}) {
		t.Errorf("%q", got)
	}
	if got := texts(t, s, q, 10, vectorstores.WithScoreThreshold(0)); len(got) != 5 {
		t.Errorf("%q", got)
	}
	for _, bad := range []float32{-0.8, 1.8, float32(math.NaN())} {
		if _, err := s.SimilaritySearch(t.Context(), q, 10, vectorstores.WithScoreThreshold(bad)); !errors.Is(err, forlangchain.ErrOption) || !errors.Is(err, pinion.ErrInvalid) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestFilters holds that searches find what filters of each form say, as many as are asked for, and that deletes remove that.
func TestFilters(t *testing.T) {
	var docs []langchain.Document
	for i, country := range []string{"japan", "japan", "france", "france", "peru", ""} {
		m := map[string]any{"year": 2000 + i, "size": float64(i) / 2, "seen": time.Date(2020+i, 1, 1, 0, 0, 0, 0, time.UTC), "other": i}
		if country != "" {
			m["country"] = country
		}
		docs = append(docs, langchain.Document{PageContent: fmt.Sprint("lamp ", i), Metadata: m})
	}
	m := func(kv ...any) map[string]any {
		all := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			all[kv[i].(string)] = kv[i+1]
		}
		return all
	}
	for _, c := range []struct {
		filter any
		want   string
	}{
		{nil, "012345"},
		{m(), "012345"},
		{m("country", "japan"), "01"},
		{m("country", m("$eq", "france")), "23"},
		{m("country", m("$ne", "france")), "0145"},
		{m("country", m("$in", []string{"peru", "japan"})), "014"},
		{m("country", m("$nin", []any{"peru", "japan"})), "235"},
		{m("year", m("$gt", 2001, "$lte", 2004)), "234"},
		{m("year", m("$gte", 2004)), "45"},
		{m("size", m("$lt", 1)), "01"},
		{m("seen", m("$lt", "2021-06-01")), "01"},
		{m("country", "japan", "year", 2001), "1"},
		{m("$or", []any{m("country", "peru"), m("year", 2000)}), "04"},
		{m("$and", []map[string]any{m("country", "france"), m("size", m("$gt", 1.2))}), "3"},
		{m("$not", m("country", "france"), "year", m("$lt", 2005)), "014"},
		{"country=japan or year>=2005", "015"},
		{query.Equal("country", "peru"), "4"},
		{m("$or", []any{"country=peru", query.Equal("year", 2003)}), "34"},
		{m("$or", []any{}), ""},
	} {
		s := open(t, t.TempDir(), forlangchain.Options{})
		add(t, s, docs)
		found := func() (got string) {
			all := texts(t, s, "lamp", 10, vectorstores.WithFilters(c.filter))
			slices.Sort(all)
			for _, text := range all {
				got += strings.TrimPrefix(text, "lamp ")
			}
			return got
		}
		if got := found(); got != c.want {
			t.Errorf("%v: %s, want %s", c.filter, got, c.want)
		}
		if c.want != "" {
			if got := texts(t, s, "lamp", 1, vectorstores.WithFilters(c.filter)); len(got) != 1 {
				t.Errorf("%v: %q of one", c.filter, got)
			}
		}
		if n, err := s.DeleteWhere(t.Context(), vectorstores.WithFilters(c.filter)); err != nil || int(n) != len(c.want) || found() != "" || s.Index().Len() != 6-len(c.want) {
			t.Errorf("%v: %d deleted, %d are left: %v", c.filter, n, s.Index().Len(), err)
		}
	}
	s := open(t, t.TempDir(), forlangchain.Options{})
	for _, bad := range []any{1, []string{"x"}, "country>", "other=1", m("other", 1), m("text", "x"), m("namespace", "x"), m("country", m()), m("country", nil), m("year", "x"), m("year", m("$gt", nil)), m("year", m("$regex", "x")),
		m("year", m("$in", 1)), m("$or", m("year", 1)), m("$and", []any{nil}), m("$not", nil), m("year", 1.5)} {
		if docs, err := s.SimilaritySearch(t.Context(), "lamp", 3, vectorstores.WithFilters(bad)); !errors.Is(err, pinion.ErrInvalid) {
			t.Errorf("%v: %v, %v", bad, docs, err)
		}
		if _, err := s.DeleteWhere(t.Context(), vectorstores.WithFilters(bad)); !errors.Is(err, pinion.ErrInvalid) {
			t.Errorf("deletes by %v: %v", bad, err)
		}
	}
}

// TestNameSpaces holds that namespaces see nothing of each other.
func TestNameSpaces(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := open(t, t.TempDir(), forlangchain.Options{NameSpace: rapid.SampledFrom([]string{"", "a"}).Draw(r, "default")})
		name := rapid.SampledFrom([]string{"a", "b", "c d"})
		has := map[string][]string{}
		for i := range rapid.IntRange(0, 12).Draw(r, "documents") {
			text := fmt.Sprint("potato ", i)
			space := name.Draw(r, "space")
			add(t, s, []langchain.Document{{PageContent: text}}, vectorstores.WithNameSpace(space))
			has[space] = append(has[space], text)
		}
		gone := name.Draw(r, "gone")
		if n, err := s.DeleteWhere(t.Context(), vectorstores.WithNameSpace(gone)); err != nil || int(n) != len(has[gone]) {
			r.Fatalf("%d deleted, want %d: %v", n, len(has[gone]), err)
		}
		delete(has, gone)
		for _, space := range []string{"a", "b", "c d"} {
			got := texts(t, s, "potato", 20, vectorstores.WithNameSpace(space))
			slices.Sort(got)
			slices.Sort(has[space])
			if !slices.Equal(got, has[space]) {
				r.Fatalf("%s has %q, want %q", space, got, has[space])
			}
		}
	})
	s := open(t, t.TempDir(), forlangchain.Options{})
	add(t, s, []langchain.Document{{PageContent: "lamp"}})
	add(t, s, []langchain.Document{{PageContent: "desk"}}, vectorstores.WithNameSpace("n"))
	if got := texts(t, s, "lamp", 5); !slices.Equal(got, []string{"lamp"}) {
		t.Errorf("without a namespace: %q", got)
	}
}

// TestOptions adds and searches with an embedder and a deduplicater of a call, with ids of the program, and by words beside vectors.
func TestOptions(t *testing.T) {
	own := &topics{}
	s := open(t, t.TempDir(), forlangchain.Options{ID: func(d langchain.Document) string { return d.PageContent }})
	ids := add(t, s, []langchain.Document{{PageContent: "lamp"}, {PageContent: "desk"}, {PageContent: "paris"}}, vectorstores.WithEmbedder(own),
		vectorstores.WithDeduplicater(func(_ context.Context, d langchain.Document) bool { return d.PageContent == "paris" }))
	if !slices.Equal(ids, []string{"lamp", "desk"}) || own.texts != 2 {
		t.Errorf("%q of %d texts", ids, own.texts)
	}
	add(t, s, []langchain.Document{{PageContent: "lamp", Metadata: map[string]any{"country": "x"}}}) // replaces the other
	if got := texts(t, s, "lamp", 5, vectorstores.WithEmbedder(own)); !slices.Equal(got, []string{"lamp", "desk"}) {
		t.Errorf("%q", got)
	}
	own.fails = errors.New("down")
	if _, err := s.SimilaritySearch(t.Context(), "x", 5, vectorstores.WithEmbedder(own)); !errors.Is(err, own.fails) || !errors.Is(err, pinion.ErrEmbed) {
		t.Error(err)
	}
	if _, err := s.AddDocuments(t.Context(), []langchain.Document{{PageContent: "x"}}, vectorstores.WithEmbedder(own)); !errors.Is(err, own.fails) {
		t.Error(err)
	}
	for _, o := range []vectorstores.Option{vectorstores.WithScoreThreshold(1), vectorstores.WithFilters("year=1")} {
		if _, err := s.AddDocuments(t.Context(), nil, o); !errors.Is(err, forlangchain.ErrOption) {
			t.Error(err)
		}
	}
	for _, n := range []int{-1, 0, pinion.MaxRanked + 1} {
		if _, err := s.SimilaritySearch(t.Context(), "x", n); !errors.Is(err, forlangchain.ErrOption) {
			t.Errorf("%d documents: %v", n, err)
		}
	}
	if _, err := s.SimilaritySearch(t.Context(), " ", 1); !errors.Is(err, forlangchain.ErrOption) {
		t.Errorf("no text: %v", err)
	}
	for _, m := range []map[string]any{{"x": func() {}}, {"year": "soon"}} {
		if _, err := s.AddDocuments(t.Context(), []langchain.Document{{PageContent: "x", Metadata: m}}); !errors.Is(err, pinion.ErrInvalid) || s.Index().Len() != 2 {
			t.Errorf("%v: %v, %d documents", m, err, s.Index().Len())
		}
	}
	hybrid := open(t, t.TempDir(), forlangchain.Options{Hybrid: true})
	add(t, hybrid, []langchain.Document{{PageContent: "lamp"}, {PageContent: "E1042 desk"}, {PageContent: "potato"}})
	if got := texts(t, hybrid, "lamp E1042", 3); !slices.Equal(got, []string{"lamp", "E1042 desk", "potato"}) && !slices.Equal(got, []string{"E1042 desk", "lamp", "potato"}) {
		t.Errorf("%q", got)
	}
	if got := texts(t, hybrid, "E1042", 1); !slices.Equal(got, []string{"E1042 desk"}) {
		t.Errorf("%q", got)
	}
	if _, err := hybrid.SimilaritySearch(t.Context(), "x", 1, vectorstores.WithScoreThreshold(0.5)); !errors.Is(err, forlangchain.ErrOption) {
		t.Error(err)
	}
}

// TestReopen holds that documents are there again, that known texts are not embedded again, and that other models are refused.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	e := &topics{}
	for i := range 2 {
		cache, err := embedding.OpenCache(dir + "/vectors")
		if err != nil {
			t.Fatal(err)
		}
		o := forlangchain.Options{Embedder: e, Model: "topics", Cache: cache}
		s := open(t, dir+"/x.idx", o)
		if got := s.Index().Len(); got != i {
			t.Errorf("%d documents, want %d", got, i)
		}
		add(t, s, []langchain.Document{{PageContent: "lamp"}})
		if err := errors.Join(s.Close(), cache.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if e.texts != 1 {
		t.Errorf("%d texts were embedded", e.texts)
	}
	for _, o := range []forlangchain.Options{{}, {Embedder: e, Model: "else"}, {Embedder: e, Model: "topics", Dims: 3}, {Embedder: e, Index: pinion.Options{Schema: &schema.Schema{}}},
		{Embedder: e, Index: pinion.Options{Embed: []pinion.Embed{}}}, {Embedder: e, Model: "topics", Fields: []schema.Field{{Name: "text", Kind: schema.Keyword}}}} {
		if s, err := forlangchain.Open(t.Context(), dir+"/x.idx", o); !errors.Is(err, pinion.ErrInvalid) {
			t.Errorf("%+v: %v, %v", o, s, err)
		}
	}
	down := &topics{fails: errors.New("down")}
	if _, err := forlangchain.Open(t.Context(), t.TempDir(), forlangchain.Options{Embedder: down}); !errors.Is(err, down.fails) {
		t.Error(err)
	}
}
