package search_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// BenchmarkNearest finds the 10 nearest of vectors in clusters: of all documents, of shares of them that pass a filter, and beside a word.
func BenchmarkNearest(b *testing.B) {
	for _, values := range []schema.VectorValues{schema.Float32, schema.Float16} {
		b.Run(values.String(), func(b *testing.B) { benchmarkNearest(b, values) })
	}
}

func benchmarkNearest(b *testing.B, values schema.VectorValues) {
	const docs, dims = 50_000, 256
	rng := rand.New(rand.NewPCG(62, 9))
	centres := make([][]float32, 200)
	for i := range centres {
		centres[i] = make([]float32, dims)
		for j := range centres[i] {
			centres[i][j] = float32(rng.NormFloat64() / float64(1+j/8))
		}
	}
	draw := func() []float32 {
		v := make([]float32, dims)
		for j, x := range centres[rng.IntN(len(centres))] {
			v[j] = x + float32(rng.NormFloat64()/float64(2+j/8))
		}
		return v
	}
	dir := b.TempDir()
	w, err := writer.Open(b.Context(), dir, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: dims, Values: values},
		{Name: "n", Kind: schema.Integer, Column: true}, {Name: "text", Kind: schema.Text, Analyzer: "simple"}}}})
	if err != nil {
		b.Fatal(err)
	}
	for d := range docs {
		err = errors.Join(err, w.Add(b.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{schema.VectorValue(0, draw()), schema.IntegerValue(1, int64(rng.IntN(1000))),
			schema.TextValue(2, fmt.Append(nil, "w", rng.IntN(20)))}}))
	}
	if err := errors.Join(err, w.Commit(b.Context()), w.Close()); err != nil {
		b.Fatal(err)
	}
	s := searcherIn(b, dir)
	var asked [64][]float32
	for i := range asked {
		asked[i] = draw()
	}
	for name, node := range map[string]func(v []float32) query.Node{
		"all": func(v []float32) query.Node { return query.Nearest{Field: "v", Vector: v, K: 10} },
		"tenth": func(v []float32) query.Node {
			return query.And{query.Nearest{Field: "v", Vector: v, K: 10}, query.Below("n", 100)}
		},
		"hundredth": func(v []float32) query.Node {
			return query.And{query.Nearest{Field: "v", Vector: v, K: 10}, query.Below("n", 10)}
		},
		"thousandth": func(v []float32) query.Node {
			return query.And{query.Nearest{Field: "v", Vector: v, K: 10}, query.Below("n", 1)}
		},
		"word": func(v []float32) query.Node {
			return query.And{query.Nearest{Field: "v", Vector: v, K: 10}, query.Term{Field: "text", Text: "w3"}}
		},
		"similarity": func(v []float32) query.Node {
			return query.And{query.Term{Field: "text", Text: "w3"}, query.Similarity{Field: "v", Vector: v}}
		},
	} {
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				if _, err := s.Search(b.Context(), search.Query{Node: node(asked[i%len(asked)]), K: 10}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkNearestTogether asks 64 queries for the 10 nearest of all, so many at a time; the time is that of a query.
func BenchmarkNearestTogether(b *testing.B) {
	const docs, dims = 100_000, 512
	rng := rand.New(rand.NewPCG(62, 10))
	draw := func(by float64, at []float32) []float32 {
		v := make([]float32, dims)
		for j := range v {
			v[j] = float32(rng.NormFloat64() * by / float64(1+j/16))
			if at != nil {
				v[j] += at[j]
			}
		}
		return v
	}
	centres := make([][]float32, 200)
	for i := range centres {
		centres[i] = draw(1, nil)
	}
	dir := b.TempDir()
	w, err := writer.Open(b.Context(), dir, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: dims}}}})
	if err != nil {
		b.Fatal(err)
	}
	for d := range docs {
		err = errors.Join(err, w.Add(b.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{schema.VectorValue(0, draw(0.5, centres[rng.IntN(len(centres))]))}}))
	}
	if err := errors.Join(err, w.Commit(b.Context()), w.Close()); err != nil {
		b.Fatal(err)
	}
	s := searcherIn(b, dir)
	var queries [64]search.Query
	for i := range queries {
		queries[i] = search.Query{Node: query.Nearest{Field: "v", Vector: draw(0.5, centres[rng.IntN(len(centres))]), K: 10}, K: 10}
	}
	for _, at := range []int{1, 2, 4, 8, 64} {
		b.Run(fmt.Sprint(at), func(b *testing.B) {
			var next atomic.Int64
			var all sync.WaitGroup
			cpu := cputime.Process()
			for range at {
				all.Go(func() {
					for i := int(next.Add(1)) - 1; i < b.N; i = int(next.Add(1)) - 1 {
						if _, err := s.Search(b.Context(), queries[i%len(queries)]); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(cputime.Process()-cpu)/float64(b.N), "cpu-ns/op")
		})
	}
}

// searcherIn returns a Searcher of an index in a directory, of as many threads as there are CPUs.
func searcherIn(b *testing.B, dir string) *search.Searcher {
	b.Helper()
	x, err := reader.Open(b.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { x.Close() })
	snapshot, err := x.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { snapshot.Close() })
	s, err := search.NewSearcher(snapshot, search.Options{Threads: runtime.GOMAXPROCS(0)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}
