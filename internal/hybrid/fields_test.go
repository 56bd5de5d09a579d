//go:build (emu && cgo) || cuda || gpu

package hybrid

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// The two processors answer queries and trees over fields as a Searcher does, in groups and one by one, and a query that is alone on
// both: whatever decides, and also if the caller changes its terms meanwhile.
func TestFields(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	onGPU := int64(0)
	for round := range 6 {
		l, err := gputrial.DrawLibrary(t.Context(), rng, 1000+rng.IntN(1500))
		if err != nil {
			t.Fatal(err)
		}
		s, cpu, err := l.Searcher()
		if err != nil {
			t.Fatal(err)
		}
		mode := []Mode{Parallel, OnlyGPU}[round%2]
		x, err := Open(s, cpu, OpenOptions{Options: Options{Mode: mode, Batch: 50}, GPU: gpu.Options{Memory: 8 << 20}, GPUs: 1})
		if err == nil {
			err = x.Ready(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		var queries []search.Query
		for range 200 {
			q := l.Request(rng)
			if rng.IntN(8) == 0 {
				q.Params = query.Params{K1: 0.5 + rng.Float64(), B: query.Zero}
			}
			queries = append(queries, q)
		}
		want, err := cpu.Execute(t.Context(), queries)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{20, 200} {
			got, err := x.Execute(t.Context(), queries[:n])
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if !slices.Equal(got[i].Hits, want[i].Hits) || got[i].Total != want[i].Total {
					t.Fatalf("%+v of %d: %v, want %v", queries[i], n, got[i], want[i])
				}
			}
		}
		for i := range 40 {
			got, err := x.Search(t.Context(), queries[i])
			if err != nil || !slices.Equal(got.Hits, want[i].Hits) || got.Total != want[i].Total {
				t.Fatalf("%+v alone: %v, %v, want %v", queries[i], got, err, want[i])
			}
		}
		onGPU += x.Stats().GPU.Queries
		if err := errors.Join(x.Close(), cpu.Close(), s.Close(), l.Close()); err != nil {
			t.Error(err)
		}
	}
	if onGPU < 600 {
		t.Errorf("the GPU has taken %d queries", onGPU)
	}
}

// A Stepper answers a query over fields as a Searcher does, whatever is chosen: a disjunction on the device or the CPU, others on
// the CPU. Its trace names the terms with their fields.
func TestFieldsStepByStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	whole, names := 0, 0
	for range 3 {
		l, err := gputrial.DrawLibrary(t.Context(), rng, 1500)
		if err != nil {
			t.Fatal(err)
		}
		s, cpu, err := l.Searcher()
		if err != nil {
			t.Fatal(err)
		}
		p, err := pool.New(cpu, pool.Options{})
		if err != nil {
			t.Fatal(err)
		}
		dev, err := gpu.OpenDevice()
		if err != nil {
			t.Fatal(err)
		}
		g, err := gpu.New(dev, s, gpu.Options{CPU: p, Memory: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		x, err := gpu.NewStepper(g, cpu, gpu.StepOptions{Load: true, Choose: func(gpu.StepState) gpu.StepChoice {
			return []gpu.StepChoice{gpu.StepCPU, gpu.StepGPU, gpu.StepRest}[rng.IntN(3)]
		}})
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			q, trace := l.Request(rng), new(gpu.StepTrace)
			want, err := cpu.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.Search(t.Context(), q, trace)
			if err != nil || !slices.Equal(got.Hits, want.Hits) || got.Total != want.Total {
				t.Fatalf("%+v: %v, %v, want %v", q, got, err, want)
			}
			if n := len(trace.Steps); n > 0 && trace.Steps[n-1].Choice != gpu.StepCPU {
				whole++
			}
			names += len(trace.Plan.Terms)
		}
		p.Close()
		if err := errors.Join(x.Close(), g.Close(), dev.Close(), cpu.Close(), s.Close(), l.Close()); err != nil {
			t.Error(err)
		}
	}
	if whole == 0 || names == 0 {
		t.Errorf("%d queries on the device, %d terms in traces", whole, names)
	}
}
