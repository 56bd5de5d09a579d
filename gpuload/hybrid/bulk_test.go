package hybrid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/gpuload"
)

// dividedMachine answers groups whose queries take what is predicted times a factor: callers
// with a core each, and a GPU that answers one part after the other.
type dividedMachine struct {
	balance
	callers int
	factors [2]float64 // CPU, GPU
	latency time.Duration
	spread  int // of costs, as log2
	size    int
	rng     *rand.Rand
	free    []time.Duration // when callers are
	gpuFree time.Duration
	only    int // a side that answers everything; 2: the balance decides
}

// run answers groups and returns the time that it took.
func (m *dividedMachine) run(t *rapid.T, groups int) time.Duration {
	began := slices.Max(append(m.free, m.gpuFree))
	for i := range m.free {
		m.free[i] = began
	}
	for range groups {
		who := 0
		for i := range m.free {
			if m.free[i] < m.free[who] {
				who = i
			}
		}
		now := m.free[who]
		g := &groupCall{bins: make([]uint8, m.size)}
		for i := range g.bins {
			c := Cost{CPU: time.Duration(1) << (10 + m.rng.IntN(m.spread+1)), GPU: time.Duration(1) << (10 + m.rng.IntN(m.spread+1))}
			b := binOf(c, float64(m.callers))
			g.bins[i] = b
			g.weights.cpu[b] += float64(c.CPU)
			g.weights.gpu[b] += float64(c.GPU)
			g.weights.n[b]++
		}
		c := cut{bin: bins}
		switch m.only {
		case 1:
			c.bin = -1
		case 2:
			c = m.divide(&g.weights, now, m.callers, m.callers)
		}
		predicted := g.take(c)
		if n := len(g.onCPU) + len(g.onGPU); n != m.size {
			t.Fatalf("%d of %d queries taken", n, m.size)
		}
		var took [2]time.Duration
		if len(g.onCPU) > 0 {
			took[0] = time.Duration(predicted[0]*m.factors[0]) + 1
		}
		if len(g.onGPU) > 0 {
			m.gpuFree = max(m.gpuFree, now) + time.Duration(predicted[1]*m.factors[1])
			took[1] = m.gpuFree + m.latency - now
		}
		m.free[who] = now + max(took[0], took[1])
		if m.only == 2 {
			m.learn(predicted, took, len(g.onGPU), m.callers, m.free[who])
		}
	}
	return slices.Max(m.free) - began
}

// TestBalance divides groups on machines on which either processor is up to 1,000 times
// faster than predicted in comparison. Both together are not slower than the better one by
// more than a tenth.
func TestBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := math.Exp2(rapid.Float64Range(-10, 10).Draw(t, "ratio"))
		m := dividedMachine{callers: rapid.IntRange(1, 16).Draw(t, "callers"), factors: [2]float64{1, ratio},
			latency: time.Duration(rapid.IntRange(0, 300).Draw(t, "latency")) * time.Microsecond,
			spread:  rapid.IntRange(0, 8).Draw(t, "spread"), size: rapid.IntRange(256, 4096).Draw(t, "size")}
		took := func(only int) time.Duration {
			m.only, m.free, m.gpuFree = only, make([]time.Duration, m.callers), 0
			m.rng = rand.New(rand.NewPCG(1, 2))
			if only == 2 {
				m.run(t, 100+40*m.callers) // learns
			}
			return m.run(t, 20*m.callers)
		}
		cpu, gpu, both := took(0), took(1), took(2)
		if best := min(cpu, gpu); float64(both) > float64(best)/0.9 {
			t.Fatalf("the CPU takes %v, the GPU %v, both %v", cpu, gpu, both)
		}
	})
}

// TestGroups answers groups from several goroutines, while the GPU is sound, fails now and
// then, is lost or hangs, and cancels some. The answers are the Searcher's to the bit.
func TestGroups(t *testing.T) {
	s := newIndex(t)
	qs := someQueries(1500, 6)
	want, err := s.Execute(t.Context(), qs)
	if err != nil {
		t.Fatal(err)
	}
	for name, gpu := range map[string]*stub{
		"sound":    {},
		"slow":     {took: 5 * time.Millisecond},
		"at times": {fail: func(n int64) error { return []error{nil, nil, errors.New("broken")}[n%3] }},
		"lost": {fail: func(n int64) error {
			if n > 4 {
				return fmt.Errorf("batch %d: %w", n, gpuload.ErrDevice)
			}
			return nil
		}},
		"hangs": {hang: make(chan struct{})},
	} {
		t.Run(name, func(t *testing.T) {
			gpu.Executor = s
			o := Options{Batch: 100, Lanes: 2, Hang: 10 * time.Second}
			if gpu.hang != nil {
				o.Hang = 20 * time.Millisecond
				defer close(gpu.hang)
			}
			x := newHybrid(t, s, gpu, o)
			var group sync.WaitGroup
			for c := range 4 {
				group.Go(func() {
					for round := range 6 {
						lo := (c*6 + round) * 50
						ctx, cancel := context.WithCancel(t.Context())
						canceled := c == 3 && round%2 == 0
						if canceled {
							cancel()
						}
						got, err := x.Execute(ctx, qs[lo:lo+300])
						cancel()
						if canceled {
							if !errors.Is(err, context.Canceled) {
								t.Errorf("a canceled group: %v", err)
							}
							continue
						}
						if err != nil {
							t.Error(err)
							return
						}
						for i := range got {
							if !slices.Equal(got[i].Hits, want[lo+i].Hits) {
								t.Errorf("query %d: %v, want %v", lo+i, got[i].Hits, want[lo+i].Hits)
							}
						}
					}
				})
			}
			group.Wait()
			st := x.Stats()
			if gave := st.Retired != nil; gave != (name == "lost" || name == "hangs") {
				t.Errorf("the GPU is retired: %v", st.Retired)
			}
			if n := st.CPU.Queries + st.GPU.Queries - st.Again; n != st.Grouped || n != 21*300 || st.GPU.Queries == 0 {
				t.Errorf("%+v", st)
			}
			if _, err := x.Execute(t.Context(), append(slices.Clone(qs[:100]), qs[0])); err != nil {
				t.Error(err)
			}
		})
	}
}
