//go:build emu && cgo

package hybrid

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Dots are answered by both processors, or by the GPU alone, as the Searcher answers them.
func TestDots(t *testing.T) {
	s, snapshot := newVectors(t, 500)
	cpu, err := pool.New(s, pool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cpu.Close()
	var queries []search.Query
	for i := range 80 {
		d := query.Dot{Field: "v"}
		for j := range 1 + i%9 {
			d.Terms = append(d.Terms, query.WeightedTerm{Term: fmt.Sprint("t", (i+j*j)%12), Weight: uint32(1 + i)})
		}
		queries = append(queries, search.Query{Node: d, K: 1 + i%20})
	}
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

// newVectors returns an index of documents with a field of impacts, "v".
func newVectors(t *testing.T, docs int) (*search.Searcher, *reader.Snapshot) {
	t.Helper()
	fs, r := memfs.New(), rand.New(rand.NewPCG(1, 39))
	try := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "v", Kind: schema.Impacts}}}})
	try(err)
	for i := range docs {
		var v []schema.Impact
		for j := range 10 {
			if r.IntN(3) == 0 {
				v = append(v, schema.Impact{Term: fmt.Sprint("t", j), Weight: uint8(1 + r.IntN(255))})
			}
		}
		try(w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.ImpactsValue(0, v)}}))
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
	return s, snapshot
}
