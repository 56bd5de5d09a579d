package search_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Goroutines that share the vectors of a query, in pieces of any number, find what the oracle does: of documents that are equally near the
// first, and each once, whatever its vectors.
func TestNearestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	rng := rand.New(rand.NewPCG(64, 1))
	trees := longtest.Count(25, 300)
	for _, several := range []bool{false, true} {
		docs := books(rng, 700)
		l := denseLibrary(t, writer.Options{}, docs, 260, several)
		r := &treeDrawer{Rand: rng, dots: true, dense: true, docs: docs, terms: map[string][]string{}}
		for d := range docs {
			r.ids = append(r.ids, fmt.Append(nil, d))
		}
		s, err := search.NewSearcher(l.Snapshot(), search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		records := oracle.NewRecords(shelvedDense(), docs)
		for _, f := range []string{"title", "body", "notes"} {
			r.terms[f] = records.Terms(f)
		}
		truth := oracle.NewTrees(records)
		for _, piece := range []int{1, 7, 64, 100} {
			p, err := pool.New(s, pool.Options{Workers: 2 + rng.IntN(7), Model: []pool.Model{pool.DocRanges, pool.FineGrained}[rng.IntN(2)], TaskPostings: piece})
			if err != nil {
				t.Fatal(err)
			}
			for i := range trees {
				n, own := r.nearest()
				if i%2 == 0 {
					n, own = r.node(2)
				}
				q := search.Query{Node: n, K: []int{1, 10, len(docs)}[rng.IntN(3)]}
				want, _ := truth.Answer(oracle.TreeQuery{Root: own, K: q.K})
				got, err := p.Search(t.Context(), q)
				if err != nil || !slices.EqualFunc(got.Hits, want, func(a search.Hit, b oracle.Hit) bool { return oracle.Hit(a) == b }) {
					t.Fatalf("%s, pieces of %d: %v\n got %v\nwant %v", shown(n), piece, err, got.Hits, want)
				}
			}
			p.Close()
		}
	}
}

// A search of several goroutines ends with its context, and finds the same as one of one.
func TestNearestThreadsLarge(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	rng := rand.New(rand.NewPCG(64, 2))
	const dims = 256
	var docs []writer.Doc
	for d := range 12_000 { // 3 million values: what several goroutines look at
		v := make([]float32, dims)
		for i := range v {
			v[i] = float32(rng.IntN(3))
		}
		docs = append(docs, writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{schema.VectorValue(0, v)}})
	}
	snapshot := indexOf(t, &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: dims, Similarity: schema.SimilarityDot}}}, docs)
	var searchers []*search.Searcher
	for _, threads := range []int{1, 4} {
		s, err := search.NewSearcher(snapshot, search.Options{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		searchers = append(searchers, s)
	}
	for range 20 {
		v := make([]float32, dims)
		for i := range v {
			v[i] = float32(rng.IntN(3) - 1)
		}
		q := search.Query{Node: query.Nearest{Field: "v", Vector: v, K: 1 + rng.IntN(300)}, K: 300}
		want, err := searchers[0].Search(t.Context(), q)
		got, e := searchers[1].Search(t.Context(), q)
		if err != nil || e != nil || !slices.Equal(got.Hits, want.Hits) {
			t.Fatalf("%v, %v: %v, want %v", err, e, got.Hits, want.Hits)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(900))*time.Microsecond)
		if got, err := searchers[1].Search(ctx, q); !errors.Is(err, context.DeadlineExceeded) && (err != nil || !slices.Equal(got.Hits, want.Hits)) {
			t.Fatalf("a search that ends early: %v, %v", got.Hits, err)
		}
		cancel()
	}
	if _, err := search.NewSearcher(snapshot, search.Options{Threads: -1}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("-1 threads: %v", err)
	}
}
