package compat

import (
	"context"
	"fmt"
	"maps"
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
		{Name: "two", Kind: schema.Vector, Dims: 64},
	}}
	dir, r := t.TempDir(), rand.New(rand.NewPCG(7, 7))
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: s, MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string][][]float32{"all": {}, "few": {}, "two": {}} // by field and id
	add := func(n int) {
		for range n {
			id := fmt.Sprint(len(want["all"]))
			d := writer.Doc{ID: []byte(id), Values: []schema.Value{schema.TextValue(1, "a")}}
			for _, of := range []struct{ field, n int }{{0, 1}, {2, r.IntN(2)}, {4, 2 * r.IntN(2)}} {
				f := &s.Fields[of.field]
				for range of.n {
					v := make([]float32, f.Dims)
					for i := range v {
						v[i] = float32(r.NormFloat64()) + 2
					}
					d.Values = append(d.Values, schema.VectorValue(of.field, v))
					want[f.Name][id] = append(want[f.Name][id], v)
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
		got := map[string]map[string][][]float32{"all": {}, "few": {}, "two": {}}
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

// vectorsIndex is an index with vectors, of the first version that has them: documents 0 to 39 in a segment without a centre, and to 1199
// in one with.
const vectorsIndex = "vectors-0.7.tar.gz"

var vectorsSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "few", Kind: schema.Vector, Dims: 3, Similarity: schema.SimilarityL2, Model: "made up"},
	{Name: "many", Kind: schema.Vector, Dims: 100, Similarity: schema.SimilarityDot},
}}

// goldenVectors returns those of a document by field: all have one of few, some have two of many.
func goldenVectors(doc int) (of [2][][]float32) {
	vector := func(field, n int) []float32 {
		v := make([]float32, vectorsSchema.Fields[field].Dims)
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
	path := filepath.Join("testdata", vectorsIndex)
	if _, err := os.Stat(path); *update && err != nil {
		dir := t.TempDir()
		for _, part := range [][2]int{{0, 40}, {40, 1200}} {
			change(t, dir, writer.Options{Schema: vectorsSchema, MergePolicy: writer.NoMerges}, func(ctx context.Context, w *writer.Writer) error {
				for doc := part[0]; doc < part[1]; doc++ {
					d := writer.Doc{ID: fmt.Append(nil, doc)}
					for field, all := range goldenVectors(doc) {
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
			of := goldenVectors(doc)
			for field, want := range of {
				if got := s.vectors[vectorsSchema.Fields[field].Name][uint32(i)]; !slices.EqualFunc(got, want, slices.Equal) {
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
