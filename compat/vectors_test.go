package compat

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Vectors and their codes are what a reader written from FORMAT.md alone makes of them, as they are added and merged.
func TestVectorsSpecification(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "all", Kind: schema.Vector, Dims: 100, Similarity: schema.SimilarityDot},
		{Name: "body", Kind: schema.Text, Analyzer: "whitespace"},
		{Name: "few", Kind: schema.Vector, Dims: 3, Similarity: schema.SimilarityL2, Model: "made up"},
		{Name: "none", Kind: schema.Vector, Dims: 4096},
		{Name: "rough", Kind: schema.Vector, Dims: 50, Similarity: schema.SimilarityDot, Values: schema.Int8},
		{Name: "two", Kind: schema.Vector, Dims: 64, Values: schema.Float16},
	}}
	dir, r := t.TempDir(), rand.New(rand.NewPCG(7, 7))
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: s, MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string][][]float32{"all": {}, "few": {}, "rough": {}, "two": {}} // by field and id
	add := func(n int) {
		for range n {
			id := fmt.Sprint(len(want["all"]))
			d := writer.Doc{ID: []byte(id), Values: []schema.Value{schema.TextValue(1, "a")}}
			for _, of := range []struct{ field, n int }{{0, 1}, {2, r.IntN(2)}, {4, r.IntN(3)}, {5, 2 * r.IntN(2)}} {
				f := &s.Fields[of.field]
				for range of.n {
					v := make([]float32, f.Dims)
					for i := range v {
						v[i] = float32(r.NormFloat64()) + 2
					}
					d.Values = append(d.Values, schema.VectorValue(of.field, v))
					want[f.Name][id] = append(want[f.Name][id], keptOf(f, v))
				}
			}
			if err := w.Add(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	check := func(segments int) {
		t.Helper()
		c, err := readIndex(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.segments) != segments {
			t.Fatalf("%d segments", len(c.segments))
		}
		got := map[string]map[string][][]float32{"all": {}, "few": {}, "rough": {}, "two": {}}
		for _, s := range c.segments {
			for name, all := range s.vectors {
				for doc, vectors := range all {
					if len(vectors) > 0 && !s.docs[doc].deleted {
						got[name][s.docs[doc].id] = vectors
					}
				}
			}
		}
		for name := range want {
			if !maps.EqualFunc(got[name], want[name], func(a, b [][]float32) bool { return slices.EqualFunc(a, b, slices.Equal) }) {
				t.Errorf("%d segments: field %q has other vectors", segments, name)
			}
		}
	}
	add(70)
	add(1500)
	check(2)
	for _, id := range []string{"3", "80", "500"} {
		if err := w.Delete(t.Context(), []byte(id)); err != nil {
			t.Fatal(err)
		}
		for name := range want {
			delete(want[name], id)
		}
	}
	if _, err := w.Merge(t.Context(), writer.MergeOptions{MaxSegments: 1}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	check(1)
}

// keptOf returns what field f keeps of v, whose values float16 reaches.
func keptOf(f *schema.Field, v []float32) []float32 {
	switch f.Values {
	case schema.Float32:
		return v
	case schema.Int8:
		return coded(v)
	}
	kept := make([]float32, len(v))
	for i, x := range v {
		_, exponent := math.Frexp(float64(x))
		unit := math.Ldexp(1, max(exponent-11, -24))
		kept[i] = float32(math.RoundToEven(float64(x)/unit) * unit)
	}
	return kept
}

// vectorsIndexes are indexes with vectors, of the first version that has them, of float16, and of codes alone: documents 0 to 39 in a segment without a
// centre, and to 1199 in one with.
var vectorsIndexes = map[string]*schema.Schema{
	"vectors-0.7.tar.gz": vectorsSchema(schema.Float32),
	"vectors-0.8.tar.gz": vectorsSchema(schema.Float16),
	"codes-0.8.tar.gz":   vectorsSchema(schema.Int8),
}

func vectorsSchema(many schema.VectorValues) *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "few", Kind: schema.Vector, Dims: 3, Similarity: schema.SimilarityL2, Model: "made up"},
		{Name: "many", Kind: schema.Vector, Dims: 100, Similarity: schema.SimilarityDot, Values: many},
	}}
}

// goldenVectors returns those of a document by field: all have one of few, some have two of many.
func goldenVectors(s *schema.Schema, doc int) (of [2][][]float32) {
	vector := func(field, n int) []float32 {
		v := make([]float32, s.Fields[field].Dims)
		for i := range v {
			v[i] = float32((uint32(doc*7+n)*2654435761+uint32(i)*2246822519)>>8%1000)/250 + 1
		}
		return v
	}
	of[0] = [][]float32{vector(0, 0)}
	if doc%50 == 7 {
		of[1] = [][]float32{vector(1, 1), vector(1, 2)}
	}
	return of
}

// Vectors that were written long ago are read.
func TestVectorsGolden(t *testing.T) {
	for name, s := range vectorsIndexes {
		t.Run(name, func(t *testing.T) { testVectorsGolden(t, filepath.Join("testdata", name), s) })
	}
}

func testVectorsGolden(t *testing.T, path string, schemaOf *schema.Schema) {
	if _, err := os.Stat(path); *update && err != nil {
		dir := t.TempDir()
		for _, part := range [][2]int{{0, 40}, {40, 1200}} {
			change(t, dir, writer.Options{Schema: schemaOf, MergePolicy: writer.NoMerges}, func(ctx context.Context, w *writer.Writer) error {
				for doc := part[0]; doc < part[1]; doc++ {
					d := writer.Doc{ID: fmt.Append(nil, doc)}
					for field, all := range goldenVectors(schemaOf, doc) {
						for _, v := range all {
							d.Values = append(d.Values, schema.VectorValue(field, v))
						}
					}
					if err := w.Add(ctx, d); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := os.WriteFile(path, pack(t, dir), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c, err := readIndex(unpack(t, path))
	if err != nil {
		t.Fatal(err)
	}
	doc := 0
	for _, s := range c.segments {
		for i := range s.docs {
			of := goldenVectors(schemaOf, doc)
			for field, want := range of {
				for j := range want {
					want[j] = keptOf(&schemaOf.Fields[field], want[j])
				}
				if got := s.vectors[schemaOf.Fields[field].Name][uint32(i)]; !slices.EqualFunc(got, want, slices.Equal) {
					t.Fatalf("document %d: field %d has %v, want %v", doc, field, got, want)
				}
			}
			doc++
		}
	}
	if doc != 1200 || len(c.segments) != 2 {
		t.Errorf("%d documents in %d segments", doc, len(c.segments))
	}
}
