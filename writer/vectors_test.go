package writer_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	dense "github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// vectorsOf returns the vectors of the documents of an index that are not deleted, by their ids, and how many segments have another
// centre than the origin. All levels of verification pass.
func vectorsOf(t *testing.T, fs *memfs.FS, field string) (all map[string][][]float32, centred int) {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	all = map[string][][]float32{}
	for _, seg := range s.Segments() {
		f, _ := s.Schema().Field(field)
		number, ok := seg.Views().FieldByID(f.ID)
		if !ok {
			continue
		}
		deletes, err := seg.Deletes()
		if err != nil {
			t.Fatal(err)
		}
		of, err := dense.Open(seg.Views(), number)
		if err != nil {
			t.Fatal(err)
		}
		if of == nil {
			continue
		}
		if slices.ContainsFunc(of.Info.Vectors.Centre, func(c float32) bool { return c != 0 }) {
			centred++
		}
		for i := range of.Len() {
			doc := of.Doc(i)
			if deletes.Has(doc) {
				continue
			}
			id, err := seg.AppendID(nil, doc)
			if err != nil {
				t.Fatal(err)
			}
			v, err := of.Floats(nil, i, 1)
			if err != nil {
				t.Fatal(err)
			}
			all[string(id)] = append(all[string(id)], slices.Clone(v))
		}
	}
	return all, centred
}

// What documents have of vectors is there after flushes, deletes, replacements, merges and sorting, to the bit, and all of it is as
// verification wants it.
func TestVectors(t *testing.T) {
	for _, dims := range []int{1, 7, 64, 100} {
		for _, sorted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d dimensions, sorted %t", dims, sorted), func(t *testing.T) { testVectors(t, dims, sorted) })
		}
	}
}

func testVectors(t *testing.T, dims int, sorted bool) {
	r := rand.New(rand.NewPCG(uint64(dims), 1))
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "n", Kind: schema.Integer, Column: true},
		{Name: "text", Kind: schema.Text},
		{Name: "v", Kind: schema.Vector, Dims: dims, Model: "made up"},
		{Name: "w", Kind: schema.Vector, Dims: 3, Similarity: schema.SimilarityL2},
	}}
	o := writer.Options{Schema: s}
	if sorted {
		o.Order = writer.OrderField("n", false)
	}
	fs, ctx := memfs.New(), context.Background()
	w, err := writer.OpenFS(ctx, fs, o)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][][]float32{}
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.NormFloat64()) + 3
		}
		return v
	}
	for round := range 4 {
		for range []int{5, 300, 1500, 40}[round] {
			id := fmt.Sprint(r.IntN(1000))
			d := writer.Doc{ID: []byte(id), Values: []schema.Value{schema.IntegerValue(0, r.Int64N(50)), schema.TextValue(1, "a b")}}
			delete(want, id)
			for range r.IntN(4) {
				v := random(dims)
				d.Values = append(d.Values, schema.VectorValue(2, v))
				want[id] = append(want[id], v)
			}
			if r.IntN(3) == 0 {
				d.Values = append(d.Values, schema.VectorValue(3, random(3)))
			}
			if err := w.Add(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
		for range 20 {
			id := fmt.Sprint(r.IntN(1000))
			delete(want, id)
			if err := w.Delete(ctx, []byte(id)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		if got, _ := vectorsOf(t, fs, "v"); !maps.EqualFunc(got, want, equalVectors) {
			t.Fatalf("round %d: %d documents with vectors, want %d, or other vectors", round, len(got), len(want))
		}
	}
	if _, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, centred := vectorsOf(t, fs, "v")
	if !maps.EqualFunc(got, want, equalVectors) || centred != 1 {
		t.Fatalf("merged: %d documents with vectors, want %d, or other vectors; %d segments with a centre", len(got), len(want), centred)
	}
}

func equalVectors(a, b [][]float32) bool { return slices.EqualFunc(a, b, slices.Equal) }
