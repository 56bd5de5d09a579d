package search_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// BenchmarkNearest finds the 10 nearest of vectors in clusters: of all documents, of shares of them that pass a filter, and beside a word.
func BenchmarkNearest(b *testing.B) {
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
	w, err := writer.Open(b.Context(), dir, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: dims},
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
	x, err := reader.Open(b.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	snapshot, err := x.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snapshot.Close()
	s, err := search.NewSearcher(snapshot, search.Options{Threads: runtime.GOMAXPROCS(0)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
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
