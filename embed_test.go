package pinion_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// encoder is a model for tests: each text has a vector drawn by its hash. It counts how often it was asked for each.
type encoder struct {
	mu    sync.Mutex
	asked map[string]int
	most  int                                       // texts of a call
	fails func(texts []string) ([][]float32, error) // unless nil, in place of all
}

const encoded = 6 // dimensions

func vectorOf(text string) []float32 {
	h := fnv.New64a()
	h.Write([]byte(text))
	rng := rand.New(rand.NewPCG(h.Sum64(), 7))
	v := make([]float32, encoded)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

func (e *encoder) embed(ctx context.Context, texts []string) (all [][]float32, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asked == nil {
		e.asked = map[string]int{}
	}
	e.most = max(e.most, len(texts))
	if e.fails != nil {
		return e.fails(texts)
	}
	for _, t := range texts {
		e.asked[t]++
		all = append(all, vectorOf(t))
	}
	return all, ctx.Err()
}

// notes is a schema with two texts and two fields of vectors.
func notes() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text, Stored: true}, {Name: "body", Kind: schema.Text, Analyzer: "simple", Stored: true},
		{Name: "tenant", Kind: schema.Keyword, Column: true}, {Name: "v", Kind: schema.Vector, Dims: encoded, Model: "m"}, {Name: "w", Kind: schema.Vector, Dims: encoded, Similarity: schema.SimilarityDot}}}
}

func openNotes(t testing.TB, o pinion.Options) *pinion.Index {
	t.Helper()
	o.Schema = notes()
	x, err := pinion.OpenFS(t.Context(), memfs.New(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// halves splits a text at its bars.
func halves(text string) []string { return strings.Split(text, "|") }

// TestEmbed holds that an index that embeds texts answers as one whose documents bring the vectors of these, and asks for each text once.
func TestEmbed(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		e := &encoder{}
		batch := rapid.IntRange(0, 3).Draw(r, "batch")
		x := openNotes(t, pinion.Options{Embed: []pinion.Embed{{Field: "v", From: []string{"title", "body"}, Texts: e.embed, Split: halves, Batch: batch}}})
		own := openNotes(t, pinion.Options{})
		words := rapid.StringMatching(`[ab]{1,3}`)
		texts := rapid.SliceOfN(rapid.OneOf(words, rapid.SampledFrom([]string{"", " ", "a|b", "|", "a||ab| |b"})), 0, 3)
		wanted := map[string]bool{}
		for range rapid.IntRange(1, 8).Draw(r, "changes") {
			var b, whole pinion.Batch
			for range rapid.IntRange(1, 4).Draw(r, "documents") {
				id := fmt.Sprint(rapid.IntRange(0, 9).Draw(r, "id"))
				if rapid.IntRange(0, 4).Draw(r, "delete") == 0 {
					b.Delete(id)
					whole.Delete(id)
					continue
				}
				title, body := texts.Draw(r, "titles"), texts.Draw(r, "bodies")
				fields := map[string]any{"title": title, "body": body}
				all := map[string]any{"title": title, "body": body}
				if rapid.IntRange(0, 4).Draw(r, "brings") == 0 {
					fields["v"] = [][]float32{vectorOf("own"), vectorOf(id)}
					all["v"] = fields["v"]
				} else {
					var vectors [][]float32
					for _, text := range slices.Concat(title, body) {
						for _, p := range halves(text) {
							if strings.TrimSpace(p) != "" {
								vectors = append(vectors, vectorOf(p))
								wanted[p] = true
							}
						}
					}
					all["v"] = vectors
				}
				b.Add(pinion.Doc{ID: id, Fields: fields})
				whole.Add(pinion.Doc{ID: id, Fields: all})
			}
			if err := errors.Join(x.Apply(t.Context(), &b), own.Apply(t.Context(), &whole)); err != nil {
				r.Fatal(err)
			}
		}
		for text, n := range e.asked {
			if n != 1 || !wanted[text] {
				r.Errorf("%q was asked for %d times; it is one of the texts: %v", text, n, wanted[text])
			}
		}
		if len(e.asked) != len(wanted) || batch > 0 && e.most > batch {
			r.Errorf("%d texts were embedded, want %d; up to %d at a time, want %d", len(e.asked), len(wanted), e.most, batch)
		}
		q := words.Draw(r, "query")
		near := func(text string, v []float32) query.Node {
			return query.Bool{Should: []query.Node{query.Nearest{Field: "v", Text: text, Vector: v, K: 4}, query.Match{Text: "a"}},
				Filter: []query.Node{query.Bool{Should: []query.Node{query.All{}, query.Nearest{Field: "v", Text: text, Vector: v, K: 1}}}}}
		}
		got, err := x.Search(t.Context(), pinion.Request{Query: near(q, nil), Limit: 20, Total: true})
		want, err2 := own.Search(t.Context(), pinion.Request{Query: near("", vectorOf(q)), Limit: 20, Total: true})
		if err != nil || err2 != nil || got.Total != want.Total || len(got.Hits) != len(want.Hits) {
			r.Fatalf("%d hits of %d, want %d of %d: %v, %v", len(got.Hits), got.Total, len(want.Hits), want.Total, err, err2)
		}
		for i, h := range got.Hits {
			if w := want.Hits[i]; h.ID != w.ID || h.Score != w.Score {
				r.Fatalf("hit %d: %s %v, want %s %v", i, h.ID, h.Score, w.ID, w.Score)
			}
		}
	})
}

// TestEmbedConcurrent holds that texts which several calls add at a time are embedded once, in batches.
func TestEmbedConcurrent(t *testing.T) {
	e := &encoder{}
	x := openNotes(t, pinion.Options{Embed: []pinion.Embed{{Field: "v", From: []string{"body"}, Texts: e.embed, Batch: 5}}})
	const texts = 200
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 1))
			for i := 0; i < texts; i += 10 {
				var docs []pinion.Doc
				for j := i; j < i+10; j++ {
					docs = append(docs, pinion.Doc{ID: fmt.Sprint(g, j), Fields: map[string]any{"body": fmt.Sprint("text ", j)}})
				}
				rng.Shuffle(len(docs), func(a, b int) { docs[a], docs[b] = docs[b], docs[a] })
				if err := x.Add(t.Context(), docs...); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if len(e.asked) != texts || e.most > 5 {
		t.Errorf("%d texts, want %d, up to %d at a time", len(e.asked), texts, e.most)
	}
	for text, n := range e.asked {
		if n != 1 {
			t.Errorf("%q was asked for %d times", text, n)
		}
	}
	if n, err := x.Count(t.Context(), query.Nearest{Field: "v", Text: "text 7", K: 5000}); err != nil || n != 8*texts {
		t.Errorf("%d documents have vectors: %v", n, err)
	}
}

// TestEmbedWaits holds that a call which waits for the text of another embeds it itself if that one fails, and waits no longer than its context.
func TestEmbedWaits(t *testing.T) {
	begun, fail := make(chan struct{}), make(chan struct{})
	var calls int
	x := openNotes(t, pinion.Options{Embed: []pinion.Embed{{Field: "v", From: []string{"body"}, Texts: func(ctx context.Context, texts []string) ([][]float32, error) {
		if calls++; calls == 1 {
			close(begun)
			<-fail
			return nil, errors.New("down")
		}
		return [][]float32{vectorOf(texts[0])}, nil
	}}}})
	add := func(ctx context.Context, id string) error {
		return x.Add(ctx, pinion.Doc{ID: id, Fields: map[string]any{"body": "whale"}})
	}
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- add(t.Context(), "a") }()
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	go func() { second <- add(ctx, "b") }()
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("a call whose context has ended: %v", err)
	}
	go func() { second <- add(t.Context(), "b") }()
	close(fail)
	if err := <-first; !errors.Is(err, pinion.ErrEmbed) {
		t.Errorf("the call that fails: %v", err)
	}
	if err := <-second; err != nil || calls != 2 || x.Len() != 1 {
		t.Errorf("the call that waited: %v after %d calls, %d documents", err, calls, x.Len())
	}
}

// TestEmbedFails holds that nothing is added if a text cannot be embedded, that the error says of what, and that the index goes on.
func TestEmbedFails(t *testing.T) {
	e := &encoder{}
	x := openNotes(t, pinion.Options{Embed: []pinion.Embed{{Field: "v", From: []string{"title", "body"}, Texts: e.embed}}})
	docs := []pinion.Doc{{ID: "a", Fields: map[string]any{"title": "one"}}, {ID: "b", Fields: map[string]any{"body": "two"}}, {ID: "c", Fields: map[string]any{"body": "one"}}}
	down := errors.New("the model is down")
	good := vectorOf("x")
	for _, c := range []struct {
		vectors [][]float32
		err     error
		want    string
	}{
		{nil, down, `cannot embed a text: document "a", field "title", and 1 texts more: the model is down`},
		{[][]float32{good}, nil, "1 vectors of 2 texts"},
		{nil, nil, "0 vectors of 2 texts"},
		{[][]float32{good, good, good}, nil, "3 vectors"},
		{[][]float32{good, good[1:]}, nil, `document "b", field "body": schema: invalid schema: field "v": a vector of 5 dimensions, in a field of 6`},
		{[][]float32{make([]float32, encoded), good}, nil, `document "a", field "title": schema: invalid schema: field "v": a vector of zeros`},
		{[][]float32{good, nil}, nil, "0 dimensions"},
		{[][]float32{good, {1, 2, 3, 4, 5, float32(math.NaN())}}, nil, "not finite"},
	} {
		e.fails = func([]string) ([][]float32, error) { return c.vectors, c.err }
		err := x.Add(t.Context(), docs...)
		if !errors.Is(err, pinion.ErrEmbed) || errors.Is(err, pinion.ErrInvalid) || errors.Is(err, writer.ErrDocument) || c.err != nil && !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v: %v, want %s", c.vectors, c.err, err, c.want)
		}
		if _, err := x.Search(t.Context(), pinion.Request{Query: query.Nearest{Field: "v", Text: c.want, K: 1}}); len(c.vectors) != 1 && !errors.Is(err, pinion.ErrEmbed) {
			t.Errorf("%v: a query: %v", c.vectors, err)
		}
		if n := x.Len(); n != 0 {
			t.Errorf("%v: %d documents", c.vectors, n)
		}
	}
	e.fails = nil
	if err := x.Add(t.Context(), docs...); err != nil || x.Len() != 3 || len(e.asked) != 2 {
		t.Errorf("%d documents of %d texts: %v", x.Len(), len(e.asked), err)
	}
	if err := x.Add(t.Context(), pinion.Doc{ID: "d", Fields: map[string]any{"none": 1, "body": "three"}}); !errors.Is(err, writer.ErrDocument) || len(e.asked) != 2 {
		t.Errorf("a bad document: %v, %d texts", err, len(e.asked))
	}
	x.Close()
	if err := x.Add(t.Context(), pinion.Doc{ID: "d", Fields: map[string]any{"body": "three"}}); !errors.Is(err, pinion.ErrClosed) || len(e.asked) != 2 {
		t.Errorf("a closed index: %v, %d texts", err, len(e.asked))
	}
}

func TestEmbedOptions(t *testing.T) {
	f := (&encoder{}).embed
	for _, c := range []struct {
		want  string
		embed []pinion.Embed
	}{
		{`field "none": there is no such field`, []pinion.Embed{{Field: "none", Texts: f}}},
		{`field "body": it is of kind text, not vector`, []pinion.Embed{{Field: "body", Texts: f}}},
		{"no function Texts", []pinion.Embed{{Field: "v", Queries: f}}},
		{"batches of -1", []pinion.Embed{{Field: "v", Texts: f, Batch: -1}}},
		{`no field "none" that it is from`, []pinion.Embed{{Field: "v", Texts: f, From: []string{"none"}}}},
		{`from field "w" of kind vector`, []pinion.Embed{{Field: "v", Texts: f, From: []string{"w"}}}},
		{`from field "title" twice`, []pinion.Embed{{Field: "v", Texts: f, From: []string{"title", "body", "title"}}}},
		{"a Cache of vectors of no model", []pinion.Embed{{Field: "w", Texts: f, Cache: &cached{}}}},
		{`Embed of field "v" is there twice`, []pinion.Embed{{Field: "v", Texts: f}, {Field: "v", Texts: f}}},
	} {
		fs := memfs.New()
		_, err := pinion.OpenFS(t.Context(), fs, pinion.Options{Schema: notes(), Embed: c.embed})
		if !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		x, err := pinion.OpenFS(t.Context(), fs, pinion.Options{Schema: notes()}) // the first one has let go of it
		if err != nil {
			t.Fatal(err)
		}
		x.Close()
	}
}

// cached is a cache that counts, and fails if it is told to.
type cached struct {
	vectors map[string][]float32
	got     int
	fails   error
}

func (c *cached) Get(model, text string) []float32 {
	c.got++
	return c.vectors[model+"/"+text]
}

func (c *cached) Put(model, text string, v []float32) error {
	if c.vectors == nil {
		c.vectors = map[string][]float32{}
	}
	if c.fails == nil {
		c.vectors[model+"/"+text] = v
	}
	return c.fails
}

// TestEmbedCache holds that vectors come from the cache, that it is told of new ones, by the model's name, and that it may fail.
func TestEmbedCache(t *testing.T) {
	e, c := &encoder{}, &cached{vectors: map[string][]float32{"m/short": {1}, "m/known": vectorOf("else")}}
	var told []pinion.Event
	x := openNotes(t, pinion.Options{Observe: func(e pinion.Event) {
		if e.Kind == pinion.EventEmbed {
			told = append(told, e)
		}
	}, Embed: []pinion.Embed{{Field: "v", From: []string{"body"}, Texts: e.embed, Cache: c}}})
	add := func(text string) {
		t.Helper()
		if err := x.Add(t.Context(), pinion.Doc{ID: text, Fields: map[string]any{"body": text}}); err != nil {
			t.Fatal(err)
		}
	}
	add("known")
	add("short")
	add("new")
	if want := map[string]int{"short": 1, "new": 1}; !reflect.DeepEqual(e.asked, want) || !slices.Equal(c.vectors["m/short"], vectorOf("short")) || c.vectors["m/new"] == nil {
		t.Errorf("asked for %v, want %v; the cache has %v", e.asked, want, c.vectors)
	}
	p, err := x.Search(t.Context(), pinion.Request{Query: query.Nearest{Field: "v", Text: "else", K: 1}})
	if err != nil || len(p.Hits) != 1 || p.Hits[0].ID != "known" {
		t.Errorf("%v, %v", p.Hits, err)
	}
	c.fails = errors.New("disk full")
	add("more")
	if len(told) != 1 || !errors.Is(told[0].Err, c.fails) || !strings.Contains(told[0].Err.Error(), `field "v"`) || told[0].Kind.String() != "embed" {
		t.Errorf("told of %v", told)
	}
}

// TestEmbedQueries holds that texts of queries are embedded by Queries, once, in each call that takes a node, of an Index and a Reader.
func TestEmbedQueries(t *testing.T) {
	dir := t.TempDir()
	docs, queries := &encoder{}, &encoder{}
	all := []pinion.Embed{{Field: "v", From: []string{"title"}, Texts: docs.embed, Queries: queries.embed}, {Field: "w", From: []string{"body"}, Texts: docs.embed}}
	x, err := pinion.Open(t.Context(), dir, pinion.Options{Schema: notes(), Embed: all, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	type note struct{ ID, Title, Body string }
	if err := pinion.For[note](x).Add(t.Context(), note{"a", "whale", "ship"}, note{"b", "ship", "whale"}); err != nil {
		t.Fatal(err)
	}
	near := query.Nearest{Field: "v", Text: "ship", K: 1}
	check := func(s pinion.Searcher) {
		t.Helper()
		for range 2 {
			p, err := s.Search(t.Context(), pinion.Request{Query: near, Snippet: &pinion.Snippet{}})
			if err != nil || len(p.Hits) != 1 || p.Hits[0].ID != "b" || p.Hits[0].Score < 0.999 {
				t.Errorf("%v, %v", p.Hits, err)
			}
		}
		if n, err := s.Count(t.Context(), query.Not{Node: query.IDs{"b"}}); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		if n, err := s.Count(t.Context(), near); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		for h, err := range s.All(t.Context(), query.And{near}) {
			if err != nil || h.ID != "b" {
				t.Errorf("%v, %v", h, err)
			}
		}
		p, err := s.Search(t.Context(), pinion.Request{Query: query.And{query.All{}, query.Similarity{Field: "w", Text: "whale"}}, Filter: near})
		if err != nil || len(p.Hits) != 1 || p.Hits[0].Score < 1.5 {
			t.Errorf("%v, %v", p.Hits, err)
		}
		v := query.Nearest{Field: "v", Text: "ship", Vector: vectorOf("whale"), K: 1} // the vector wins
		if p, err := s.Search(t.Context(), pinion.Request{Query: v}); err != nil || p.Hits[0].ID != "a" {
			t.Errorf("%v, %v", p.Hits, err)
		}
	}
	check(x)
	if want := map[string]int{"ship": 1}; !reflect.DeepEqual(queries.asked, want) || docs.asked["whale"] != 3 {
		t.Errorf("asked for %v and %v", queries.asked, docs.asked) // whale: by v, by w, and by a query of w
	}
	if err := x.View(t.Context(), func(v *pinion.View) error {
		check(v)
		if _, err := v.Frequencies(t.Context(), query.And{query.All{}, query.Similarity{Field: "w", Text: "whale"}}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("a part: %v", err)
		}
		plain, err := pinion.NewView(v.Snapshot(), nil)
		if err != nil {
			return err
		}
		defer plain.Close()
		if _, err := plain.Search(t.Context(), pinion.Request{Query: near}); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "Options.Embed") {
			t.Errorf("a view without Embed: %v", err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := (pinion.ReaderOptions{Embed: []pinion.Embed{{Field: "body", Texts: docs.embed}}}).OpenReader(t.Context(), dir); !errors.Is(err, pinion.ErrInvalid) {
		t.Errorf("a Reader: %v", err)
	}
	r, err := (pinion.ReaderOptions{Embed: []pinion.Embed{{Field: "v", Texts: queries.embed}, {Field: "w", Texts: docs.embed}}, NoCache: true}).OpenReader(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	check(r)
	plain, err := pinion.OpenReader(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for _, n := range []query.Node{near, query.Bool{Should: []query.Node{query.All{}, query.Similarity{Field: "w", Text: "x"}}}} {
		if _, err := plain.Search(t.Context(), pinion.Request{Query: n}); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "pass the vector") {
			t.Errorf("%T: %v", n, err)
		}
	}
}

// TestEmbedParts holds that a document of many parts takes no more memory than in proportion to these.
func TestEmbedParts(t *testing.T) {
	x := openNotes(t, pinion.Options{Embed: []pinion.Embed{{Field: "v", From: []string{"title"}, Texts: (&encoder{}).embed, Split: halves}}})
	taken := func(parts int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := x.Add(t.Context(), pinion.Doc{ID: "a", Fields: map[string]any{"title": strings.Repeat("a|", parts)}}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := taken(500), taken(4000)
	if many > 32*few {
		t.Errorf("8 times the parts take %d bytes, %d times as many", many, many/few)
	}
}

// TestEmbedOutage holds that calls with one text do not wait for each other in turn while the model is down.
func TestEmbedOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = 10 * time.Second
		x := openNotes(t, pinion.Options{Embed: []pinion.Embed{{Field: "v", From: []string{"body"}, Texts: func(context.Context, []string) ([][]float32, error) {
			time.Sleep(timeout)
			return nil, errors.New("down")
		}}}})
		began := time.Now()
		var calls sync.WaitGroup
		for i := range 20 {
			calls.Go(func() {
				if err := x.Add(t.Context(), pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"body": "whale"}}); !errors.Is(err, pinion.ErrEmbed) {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		if took := time.Since(began); took > 3*timeout {
			t.Errorf("%v until all have failed", took)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
}
