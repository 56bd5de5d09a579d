//go:build emu && cgo

package hybrid

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// breakDevice makes all further work of the emulator fail.
func breakDevice(t *testing.T, dev *gpu.Device) {
	var b cuda.Batch
	b.CopyIn(kernels.Ptr(8), make([]byte, 8)) // no such memory
	if err := dev.Driver().Submit(&b); !errors.Is(err, gpu.ErrDevice) {
		t.Errorf("the emulator works: %v", err)
	}
}

// TestEmulatedDevice answers random queries on the Pool and an emulated device, which
// breaks at some moment of every other run. The answers are the Searcher's to the bit.
func TestEmulatedDevice(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 8
	}
	s, snapshot := newSnapshot(t)
	for round := range rounds {
		rng := rand.New(rand.NewPCG(uint64(round), 5))
		qs := someQueries(60, uint64(round))
		want, err := s.Execute(t.Context(), qs)
		if err != nil {
			t.Fatal(err)
		}
		dev, err := gpu.OpenDevice()
		if err != nil {
			t.Fatal(err)
		}
		cpu, err := pool.New(s, pool.Options{Workers: 1 + rng.IntN(3), Model: []pool.Model{pool.Inter, pool.FineGrained}[rng.IntN(2)]})
		if err != nil {
			t.Fatal(err)
		}
		o := gpu.Options{Memory: 1 << uint(12+rng.IntN(10)), Scorer: s.Scorer()} // lists may not fit
		if rng.IntN(2) == 0 {
			o.CPU = cpu
		}
		g, err := gpu.New(dev, snapshot, o)
		if err != nil {
			t.Fatal(err)
		}
		mode := []Mode{Parallel, OnlyGPU}[rng.IntN(2)]
		x, err := New(cpu, g, Options{Mode: mode, Batch: 1 + rng.IntN(30), Lanes: 1 + rng.IntN(3), Deadline: time.Second, Hang: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		var broken sync.WaitGroup
		if round%2 == 1 {
			wait := time.Duration(rng.IntN(30)) * time.Millisecond
			broken.Go(func() {
				time.Sleep(wait)
				breakDevice(t, dev)
			})
		}
		got, err := x.Execute(t.Context(), slices.Clone(qs))
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for i := range qs {
			if !slices.Equal(got[i].Hits, want[i].Hits) {
				t.Errorf("round %d, %v, query %d %v: %v, want %v", round, mode, i, qs[i], got[i].Hits, want[i].Hits)
			}
		}
		if round%2 == 0 && x.Stats().Retired != nil && !errors.Is(x.Stats().Retired, gpu.ErrUnsupported) {
			t.Errorf("round %d: %v", round, x.Stats().Retired)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		broken.Wait()
		closeDevice(t, g, dev)
		cpu.Close()
	}
}

// TestFilteredOnDevice asks for documents that pass filters, and with static scores, in every way: the answers are the
// Searcher's to the bit, and the GPU answers many.
func TestFilteredOnDevice(t *testing.T) {
	s, snapshot := newColumns(t)
	some := docset.NewGlobal(docset.Range(30, 400))
	for _, mode := range []Mode{OnlyGPU, Parallel} {
		x, err := Open(snapshot, s, OpenOptions{Options: Options{Mode: mode, Hang: time.Hour}})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(uint64(mode), 8))
		var queries []search.Query
		for range 300 {
			q := search.Query{K: 5}
			m := query.Match{Text: fmt.Sprintf("w%d w%d", rng.IntN(20), rng.IntN(20))}
			q.Node = m
			if rng.IntN(2) == 0 {
				q.Node = query.Bool{Must: []query.Node{m}, Filter: []query.Node{query.Range{Field: "price", Min: schema.IntegerValue(0, 10*rng.Int64N(3)+1)}}}
			}
			if rng.IntN(2) == 0 {
				q.Static = &search.Static{Field: "worth"}
			}
			if rng.IntN(3) == 0 {
				q.Filter = some
			}
			queries = append(queries, q)
		}
		want, err := s.Execute(t.Context(), queries)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.Execute(t.Context(), queries)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range queries {
			if !slices.Equal(got[i].Hits, want[i].Hits) {
				t.Fatalf("%v, query %+v: %v, want %v", mode, q, got[i].Hits, want[i].Hits)
			}
			if i > 60 {
				continue
			}
			if one, err := x.Search(t.Context(), q); err != nil || !slices.Equal(one.Hits, want[i].Hits) {
				t.Fatalf("%v, query %+v alone: %v, %v, want %v", mode, q, one.Hits, err, want[i].Hits)
			}
			done := make(chan []search.Hit, 1)
			if err := x.Submit(t.Context(), &q, func(hits []search.Hit, err error) { done <- hits }); err != nil {
				t.Fatal(err)
			}
			if hits := <-done; !slices.Equal(hits, want[i].Hits) {
				t.Fatalf("%v, query %+v submitted: %v, want %v", mode, q, hits, want[i].Hits)
			}
		}
		if st := x.gpu.Load().Executor.(*gpu.Group).Stats(); mode == OnlyGPU && (st.Tables < 3 || x.Stats().GPU.Queries < 300) {
			t.Errorf("%v: %d tables, %+v", mode, st.Tables, x.Stats())
		}
		bits, err := x.Filters(t.Context(), []gpu.Filter{{{{Bitmap: some}}}})
		if err != nil || bits.Count(0) != 370 {
			t.Errorf("Filters: %v", err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if _, err := x.Filters(t.Context(), nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Filters after Close: %v", err)
		}
	}
	if _, err := newHybrid(t, s, nil, Options{}).Filters(t.Context(), nil); !errors.Is(err, gpu.ErrNoDevice) {
		t.Errorf("Filters without a GPU: %v", err)
	}
}

// closeDevice closes a device, which may be broken, and the executor on it.
func closeDevice(t *testing.T, g *gpu.Executor, dev *gpu.Device) {
	for _, err := range []error{g.Close(), dev.Close()} {
		if err != nil && !errors.Is(err, gpu.ErrDevice) {
			t.Error(err)
		}
	}
}

// TestExpect tells an Executor about queries while it opens the GPUs: their lists are there
// before the first query.
func TestExpect(t *testing.T) {
	s, snapshot := newSnapshot(t)
	qs, times := someQueries(100, 9), 0
	for _, mode := range []Mode{Parallel, Parallel, Parallel, Parallel, OnlyCPU} {
		x, err := Open(snapshot, s, OpenOptions{Options: Options{Mode: mode, Hang: time.Hour}})
		if err != nil {
			t.Fatal(err)
		}
		expected := x.Expect(qs)
		if err := x.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		if x.Expect(qs) {
			t.Errorf("%v: queries are expected when the GPUs are open", mode)
		}
		if d := x.gpu.Load(); d != nil {
			for i, e := range d.Executor.(*gpu.Group).Executors() {
				if expected && e.Stats().Lists == 0 {
					t.Errorf("GPU %d has loaded no lists", i)
				}
			}
			if expected {
				times++
			}
		} else if expected {
			t.Error("queries are expected without a GPU")
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if times == 0 {
		t.Error("the GPUs were open too soon each time")
	}
}

// TestOpen finds the emulator and answers on both processors.
func TestOpen(t *testing.T) {
	s, snapshot := newSnapshot(t)
	x, err := Open(snapshot, s, OpenOptions{Options: Options{Batch: 10}})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	qs := someQueries(100, 9)
	want, err := s.Execute(t.Context(), qs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Execute(t.Context(), qs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range qs {
		if !slices.Equal(got[i].Hits, want[i].Hits) {
			t.Errorf("query %d: %v, want %v", i, got[i].Hits, want[i].Hits)
		}
	}
	for i, q := range qs { // alone
		if r, err := x.Search(t.Context(), q); err != nil || !slices.Equal(r.Hits, want[i].Hits) {
			t.Errorf("query %d alone: %v, %v, want %v", i, r.Hits, err, want[i].Hits)
		}
	}
	if n := x.Stats().Alone; n != int64(len(qs)) {
		t.Errorf("%d of %d queries were alone", n, len(qs))
	}
	if x.Device() != "2 GPUs (emulator) and the CPU" || x.Stats().Retired != nil {
		t.Errorf("%s, %+v", x.Device(), x.Stats())
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	for range 10 { // while the devices are opened
		if x, err = Open(snapshot, s, OpenOptions{}); err != nil {
			t.Fatal(err)
		}
		answers(t, x, qs, want)
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBreaks lets the device break whose executor answers on the CPU from then on. The
// scheduler finds out and says so.
func TestBreaks(t *testing.T) {
	s, snapshot := newSnapshot(t)
	dev, err := gpu.OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	cpu, err := pool.New(s, pool.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer cpu.Close()
	g, err := gpu.New(dev, snapshot, gpu.Options{CPU: cpu, Scorer: s.Scorer()})
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(cpu, g, Options{Mode: OnlyGPU, Hang: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	qs := someQueries(200, 11)
	if _, err := x.Execute(t.Context(), qs); err != nil || x.Stats().Retired != nil {
		t.Fatal(err, x.Stats().Retired)
	}
	breakDevice(t, dev)
	if _, err := x.Execute(t.Context(), qs); err != nil {
		t.Fatal(err)
	}
	if err := x.Stats().Retired; !errors.Is(err, gpu.ErrDevice) {
		t.Errorf("the scheduler uses a device that has failed: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	closeDevice(t, g, dev)
}
