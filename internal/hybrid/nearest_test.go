//go:build emu && cgo

package hybrid

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// newNearest returns an index of documents with a field of vectors, "v".
func newNearest(t *testing.T, docs, dims int) (*search.Searcher, *reader.Snapshot, []search.Query) {
	t.Helper()
	fs, r := memfs.New(), rand.New(rand.NewPCG(1, 45))
	try := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	draw := func() []float32 {
		v := make([]float32, dims)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Vector, Dims: dims}}}})
	try(err)
	for i := range docs {
		try(w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.VectorValue(0, draw())}}))
	}
	try(w.Commit(t.Context()))
	try(w.Close())
	index, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	try(err)
	t.Cleanup(func() { index.Close() })
	snapshot, err := index.Snapshot()
	try(err)
	t.Cleanup(func() { snapshot.Close() })
	s, err := search.NewSearcher(snapshot, search.Options{})
	try(err)
	t.Cleanup(func() { s.Close() })
	var queries []search.Query
	for i := range 80 {
		queries = append(queries, search.Query{Node: query.Nearest{Field: "v", Vector: draw(), K: 1 + i%30}, K: 1 + i%20})
	}
	return s, snapshot, queries
}

// Nearests are answered by both processors, or by the GPU alone, as the Searcher answers them.
func TestNearests(t *testing.T) {
	s, snapshot, queries := newNearest(t, 500, 16)
	cpu, err := pool.New(s, pool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cpu.Close()
	want, err := s.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := gpu.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	g, err := gpu.New(dev, snapshot, gpu.Options{Memory: 1 << 20, CPU: cpu})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Preload(t.Context(), queries[:1]); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []Mode{Parallel, OnlyGPU} {
		x, err := New(cpu, g, Options{Mode: mode, Batch: 20})
		if err != nil {
			t.Fatal(err)
		}
		before := g.Stats().Hits
		got, err := x.Execute(t.Context(), queries)
		if err != nil {
			t.Fatal(err)
		}
		for i := range queries {
			if !slices.Equal(got[i].Hits, want[i].Hits) {
				t.Errorf("%v, query %d: %v, want %v", mode, i, got[i].Hits, want[i].Hits)
			}
		}
		if mode == OnlyGPU && g.Stats().Hits == before {
			t.Error("the GPU was not asked")
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	closeDevice(t, g, dev)
}

// A Nearest that finds no other query has the field of its vectors brought to the GPU, which may answer it from then on.
func TestNearestAlone(t *testing.T) {
	s, snapshot, queries := newNearest(t, 9000, 4)
	want, err := s.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	x, err := Open(snapshot, s, OpenOptions{GPUs: 1, GPU: gpu.Options{Memory: 4 << 20}, Options: Options{Hang: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; {
		got, err := x.Search(t.Context(), queries[0])
		if err != nil || !slices.Equal(got.Hits, want[0].Hits) {
			t.Fatalf("%v, %v, want %v", got.Hits, err, want[0].Hits)
		}
		if p, err := x.Plan(t.Context(), queries[0]); err != nil || p.Device == nil {
			t.Fatalf("%+v, %v", p, err)
		} else if p.Device.Why == gpu.OnDevice {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the field does not come to the device")
		}
	}
}
