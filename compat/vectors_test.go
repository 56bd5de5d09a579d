package compat

import (
	"fmt"
	"maps"
	"math/rand/v2"
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
