package search_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// drawParams draws what a query brings: TestTrees and its like compare with an oracle of these parameters.
func drawParams(r *rand.Rand) query.Params {
	p := query.Params{K1: []float64{0, query.Zero, 0.4, 3}[r.IntN(4)], B: []float64{0, query.Zero, 0.3, 1}[r.IntN(4)]}
	if r.IntN(2) == 0 {
		p.Scorer = oracle.Formulas[r.IntN(len(oracle.Formulas))]
	}
	return p
}

// rankedBy returns the fields of an oracle with parameters in place of theirs.
func rankedBy(fields []oracle.Field, p query.Params) []oracle.Field {
	value := func(v float64) float64 {
		if v == query.Zero {
			return 0
		}
		return v
	}
	for i := range fields {
		f := &fields[i]
		f.Formula = p.Scorer
		f.K1, f.B = value(cmp.Or(p.K1, f.K1)), value(cmp.Or(p.B, f.B))
	}
	return fields
}

// paramsSchema has fields with lengths of all forms, the first with parameters and a weight.
func paramsSchema(p query.Params, boost float64) *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Analyzer: "whitespace", K1: p.K1, B: p.B, Boost: boost, Positions: true},
		{Name: "code", Kind: schema.Text, Analyzer: "whitespace", Lengths: schema.LengthsByte, K1: p.K1, B: p.B},
		{Name: "key", Kind: schema.Keyword, K1: p.K1},
	}}
}

// paramsWriter opens the index in a file system.
func paramsWriter(t rapid.TB, fs *memfs.FS, s *schema.Schema) *writer.Writer {
	w, err := writer.OpenFS(context.Background(), fs, writer.Options{Schema: s, MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// paramsIndex makes an index of documents, in segments of flush.
func paramsIndex(t rapid.TB, s *schema.Schema, docs [][]string, flush int) *memfs.FS {
	fs := memfs.New()
	w := paramsWriter(t, fs, s)
	for d, words := range docs {
		text := strings.Join(words, " ")
		err := w.Add(context.Background(), writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{schema.TextValue(0, text), schema.TextValue(1, text), schema.KeywordValue(2, words[0])}})
		if err == nil && d%flush == flush-1 {
			err = w.Flush(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(context.Background()), w.Close()); err != nil {
		t.Fatal(err)
	}
	return fs
}

// paramsSearcher returns a Searcher over an index, which is all that stays open of it.
func paramsSearcher(t rapid.TB, fs *memfs.FS, o search.Options) *search.Searcher {
	x, err := reader.Open(context.Background(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q, err := search.NewSearcher(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// paramsNode draws a node over the fields of paramsSchema.
func paramsNode(r *rand.Rand) query.Node {
	word := func() string { return fmt.Sprint("w", int(40*r.Float64()*r.Float64())) }
	match := func() query.Node {
		return []query.Node{
			query.Match{Text: word() + " " + word(), Mode: query.Mode(r.IntN(2)), Fields: []string{"text^3", "code"}},
			query.Match{Field: []string{"text", "code", "key"}[r.IntN(3)], Text: word(), Boost: []float64{0, 0.3}[r.IntN(2)]},
			query.Match{Text: word() + " " + word() + " " + word()},
			query.Phrase{Field: "text", Text: word() + " " + word(), Slop: r.IntN(3)},
			query.Prefix{Field: "code", Text: fmt.Sprint("w", 1+r.IntN(3)), Scored: true},
		}[r.IntN(5)]
	}
	switch r.IntN(4) {
	case 0:
		return query.Bool{Must: []query.Node{match(), match()}, Filter: []query.Node{query.Match{Field: "text", Text: "w0 w1"}}}
	case 1:
		return query.Best{Of: []query.Node{match(), match()}, Tie: 0.3}
	case 2:
		return query.Bool{Should: []query.Node{match(), match(), match()}, MustNot: []query.Node{query.Match{Field: "key", Text: word()}}}
	}
	return match()
}

// sameAnswer compares answers to the bit.
func sameAnswer(t rapid.TB, want search.Executor, q search.Query, got search.Executor, asked search.Query) {
	a, err := want.Execute(context.Background(), []search.Query{q})
	if err != nil {
		t.Fatal(err)
	}
	b, err := got.Execute(context.Background(), []search.Query{asked})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a[0].Hits, b[0].Hits) || a[0].Total != b[0].Total {
		t.Fatalf("%s with %v by %v: %v of %d, want %v of %d", shown(q.Node), asked.Params, q.Algorithm, b[0].Hits, b[0].Total, a[0].Hits, a[0].Total)
	}
}

// A query with parameters has the answer, to the bit, of an index whose schema has them, by every algorithm and in parallel. So
// has a Searcher with them, and an index that is opened with them after it was built with others, merged or not.
func TestParamsAsBuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parameter := func(name string, most float64) float64 {
			return rapid.OneOf(rapid.SampledFrom([]float64{0, query.Zero, most}), rapid.Float64Range(1e-9, min(most, 4))).Draw(t, name)
		}
		built := query.Params{K1: parameter("k1", 1e6), B: parameter("b", 1)}
		asked := query.Params{K1: parameter("k1 asked", 1e6), B: parameter("b asked", 1)}
		both := query.Params{K1: cmp.Or(asked.K1, built.K1), B: cmp.Or(asked.B, built.B)}
		boost := rapid.SampledFrom([]float64{0, 1, 2.5}).Draw(t, "weight")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		docs := querytest.ZipfDocs(rng, rapid.IntRange(1, 300).Draw(t, "documents"), 60, rapid.SampledFrom([]int{3, 20, 300}).Draw(t, "length"))
		for i := range docs {
			docs[i] = append(docs[i], "w0") // none is empty
		}
		flush := rapid.IntRange(1+len(docs)/4, 1+len(docs)).Draw(t, "flush")
		was, is := paramsIndex(t, paramsSchema(built, boost), docs, flush), paramsIndex(t, paramsSchema(both, 1), docs, flush)
		ranked := paramsIndex(t, paramsSchema(both, boost), docs, flush)
		searcher, want := paramsSearcher(t, was, search.Options{}), paramsSearcher(t, ranked, search.Options{})
		own := paramsSearcher(t, was, search.Options{Params: asked})
		p, err := pool.New(searcher, pool.Options{Workers: 2, Model: pool.FineGrained, TaskPostings: 64})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for range 8 {
			q := search.Query{Node: paramsNode(rng), K: 1 + rng.IntN(30), Algorithm: search.Algorithms()[rng.IntN(len(search.Algorithms()))], Total: rng.IntN(3) == 0}
			with := q
			with.Params = asked
			sameAnswer(t, want, q, searcher, with)
			sameAnswer(t, want, q, p, with)
			sameAnswer(t, want, q, own, q)
		}
		w := paramsWriter(t, is, paramsSchema(both, boost))
		if err := w.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
		changed := paramsSearcher(t, is, search.Options{})
		if _, err := w.Merge(context.Background(), writer.MergeOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Commit(context.Background()), w.Close()); err != nil {
			t.Fatal(err)
		}
		merged := paramsSearcher(t, is, search.Options{})
		for range 4 {
			q := search.Query{Node: paramsNode(rng), K: 1 + rng.IntN(30)}
			sameAnswer(t, want, q, changed, q)
			sameAnswer(t, want, q, merged, q) // in the order of documents, without deleted ones
		}
		for _, s := range []*search.Searcher{searcher, want, own, changed, merged} {
			s.Close()
		}
	})
}

// Parts of a collection whose schemas rank in other ways have the scores of the collection's schema, also for fields with weights in
// the query; and so have parts that are searched with the statistics of the whole.
func TestParamsOfCollection(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	docs := querytest.ZipfDocs(rng, 300, 60, 20)
	for i := range docs {
		docs[i] = append(docs[i], "w0")
	}
	s := paramsSchema(query.Params{K1: 0.7, B: query.Zero}, 3)
	whole := paramsIndex(t, s, docs, 1000)
	a, b := paramsIndex(t, s, docs[:200], 1000), paramsIndex(t, paramsSchema(query.Params{K1: 2}, 0.5), docs[200:], 1000)
	want := paramsSearcher(t, whole, search.Options{})
	defer want.Close()
	snapshot := func(fs *memfs.FS) *reader.Snapshot {
		x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	first, second := snapshot(a), snapshot(b)
	joined, err := reader.Join(first, second)
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	all := search.CollectionOf(first)
	if err := all.Add(search.CollectionOf(second)); err != nil {
		t.Fatal(err)
	}
	all.Rank(s)
	over := func(s *reader.Snapshot, o search.Options) *search.Searcher {
		x, err := search.NewSearcher(s, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		return x
	}
	one, part, given := over(joined, search.Options{}), over(second, search.Options{Statistics: joined}), over(second, search.Options{Collection: &all})
	for range 60 {
		q := search.Query{Node: paramsNode(rng), K: len(docs), Params: drawParams(rng)}
		sameAnswer(t, want, q, one, q)
		r, err := want.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		var hits []search.Hit
		for _, h := range r.Hits {
			if h.Doc >= 200 {
				hits = append(hits, search.Hit{Doc: h.Doc - 200, Score: h.Score})
			}
		}
		f, err := one.Frequencies(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		with := q
		with.Frequencies = &f
		for i, of := range []struct {
			*search.Searcher
			search.Query
		}{{part, q}, {given, with}} {
			if _, scored := q.Node.(query.Prefix); scored && i == 0 {
				continue // it stands for the words of the part
			}
			got, err := of.Search(context.Background(), of.Query)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Hits, hits) {
				t.Fatalf("%d: %s: %v, want %v", i, shown(q.Node), got.Hits, hits)
			}
		}
	}
}

// Parameters out of range are refused by name. Counting needs none, and many that differ cost no more memory than some.
func TestParamsOfQueries(t *testing.T) {
	docs := [][]string{{"w0", "w1"}, {"w0"}}
	fs := paramsIndex(t, paramsSchema(query.Params{}, 0), docs, 10)
	s := paramsSearcher(t, fs, search.Options{})
	defer s.Close()
	n := query.Match{Text: "w0"}
	for _, p := range []query.Params{{K1: -1}, {K1: 2e6}, {B: 1.1}, {B: -0.1}, {K1: math.NaN()}, {B: math.Inf(1)}} {
		_, err := s.Search(context.Background(), search.Query{Node: n, Params: p})
		if !errors.Is(err, query.ErrParams) || !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%v: %v", p, err)
		}
		if _, err := s.Count(context.Background(), search.Query{Node: n, Params: p}); !errors.Is(err, query.ErrParams) {
			t.Errorf("count with %v: %v", p, err)
		}
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 100 {
				q := search.Query{Node: n, Params: query.Params{K1: 1 + float64((i+j)%50)/50}}
				fresh := paramsSearcher(t, fs, search.Options{Params: q.Params})
				want, _ := fresh.Search(context.Background(), search.Query{Node: n})
				if got, err := s.Search(context.Background(), q); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%v: %+v, %v, want %+v", q.Params, got, err, want)
				}
				fresh.Close()
			}
		})
	}
	wg.Wait()
	if n, err := s.Count(context.Background(), search.Query{Node: n, Params: query.Params{K1: 0.1}}); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// A Searcher is not over a snapshot of the same documents whose schema ranks in another way.
func TestParamsOver(t *testing.T) {
	fs := paramsIndex(t, paramsSchema(query.Params{}, 1), [][]string{{"w0"}, {"w1"}}, 10)
	s := paramsSearcher(t, fs, search.Options{})
	defer s.Close()
	snapshot := func() *reader.Snapshot {
		x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	if !s.Over(snapshot()) {
		t.Error("not over its own commit")
	}
	for i, boost := range []float64{2, 1} {
		w := paramsWriter(t, fs, paramsSchema(query.Params{}, boost))
		if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
			t.Fatal(err)
		}
		if over := s.Over(snapshot()); over != (i == 1) {
			t.Errorf("weight %v: over is %v", boost, over)
		}
	}
}
