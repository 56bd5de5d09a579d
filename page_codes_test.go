package pinion_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A page over codes alone is approximate, and says how far the scores of its hits may be from those of the vectors as they were added: before a merge
// and after it.
func TestCodesAlone(t *testing.T) {
	ctx, r := t.Context(), rand.New(rand.NewPCG(5, 53))
	const dims = 40
	limits := map[schema.Similarity]float32{schema.SimilarityCosine: 0.005, schema.SimilarityDot: 0.4, schema.SimilarityL2: 0.005} // products are of lengths about 6
	draw := func() []float32 {
		v := make([]float32, dims)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	for _, by := range []schema.Similarity{schema.SimilarityCosine, schema.SimilarityDot, schema.SimilarityL2} {
		s := &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: dims, Similarity: by, Values: schema.Int8},
			{Name: "whole", Kind: schema.Vector, Dims: dims, Similarity: by}, {Name: "text", Kind: schema.Text}}}
		dir := t.TempDir()
		w, err := writer.Open(ctx, dir, writer.Options{Schema: s, MergePolicy: writer.NoMerges})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		vectors := map[string][]float32{}
		for part := range 3 {
			for i := range 400 {
				id, v := fmt.Sprint(part, "-", i), draw()
				vectors[id] = v
				err := w.Add(ctx, writer.Doc{ID: []byte(id), Values: []schema.Value{schema.VectorValue(0, v), schema.VectorValue(1, v), schema.TextValue(2, []byte("word"))}})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Commit(ctx); err != nil {
				t.Fatal(err)
			}
		}
		ask := draw()
		score := func(v []float32) float64 {
			var p, d, a, b float64
			for i := range v {
				x, y := float64(ask[i]), float64(v[i])
				p, d, a, b = p+x*y, d+(x-y)*(x-y), a+x*x, b+y*y
			}
			switch {
			case by == schema.SimilarityL2:
				return 1 / (1 + d)
			case by == schema.SimilarityCosine:
				return (1 + p/math.Sqrt(a*b)) / 2
			case p < 0:
				return 1 / (1 - p)
			}
			return 1 + p
		}
		word := query.Term{Field: "text", Text: "word"}
		var before []pinion.Hit
		for _, merged := range []bool{false, true} {
			if merged {
				_, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1})
				if err := errors.Join(err, w.Commit(ctx)); err != nil {
					t.Fatal(err)
				}
			}
			x, err := pinion.OpenReader(ctx, dir)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			for _, c := range []struct {
				r    pinion.Request
				want bool
			}{
				{pinion.Request{Query: query.Nearest{Field: "v", Vector: ask, K: 20}}, true},
				{pinion.Request{Query: query.And{word, query.Similarity{Field: "v", Vector: ask}}}, true},
				{pinion.Request{Fuse: &pinion.Fuse{Lists: []pinion.FuseList{{Query: word}, {Query: query.Nearest{Field: "v", Vector: ask, K: 20}}}}}, true},
				{pinion.Request{Query: query.Nearest{Field: "whole", Vector: ask, K: 20}}, false},
				{pinion.Request{Query: word}, false},
			} {
				c.r.Nearest, c.r.Limit = true, 20
				p, err := x.Search(ctx, c.r)
				if err != nil || p.Approximate != c.want || len(p.Hits) != 20 {
					t.Fatalf("%v: %d hits, approximate %t, %v", c.r.Query, len(p.Hits), p.Approximate, err)
				}
				for _, h := range p.Hits {
					for _, n := range h.Nearest {
						off := math.Abs(float64(n.Score) - score(vectors[h.ID]))
						if n.Field == "whole" && n.Error != 0 || n.Field == "v" && !(off <= float64(n.Error) && n.Error < limits[by]) {
							t.Errorf("%v, %q: %v is off by %v, and says %v", by, h.ID, n.Score, off, n.Error)
						}
					}
				}
				if n, ok := c.r.Query.(query.Nearest); !ok || n.Field != "v" {
					continue
				}
				for i, h := range before {
					if g := p.Hits[i]; g.ID != h.ID || g.Score != h.Score || g.Nearest[0] != h.Nearest[0] {
						t.Errorf("%v: hit %d is %v once merged, not %v", by, i, g, h)
					}
				}
				before = p.Hits
			}
		}
	}
}
