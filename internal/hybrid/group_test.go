package hybrid

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
)

// faultyGPUs returns a sound GPU and some that are not, by what they do.
func faultyGPUs() map[string]*stub {
	return map[string]*stub{
		"sound":    {},
		"slow":     {took: 5 * time.Millisecond},
		"at times": {fail: func(n int64) error { return []error{nil, nil, errors.New("broken")}[n%3] }},
		"lost": {fail: func(n int64) error {
			if n > 4 {
				return fmt.Errorf("batch %d: %w", n, gpu.ErrDevice)
			}
			return nil
		}},
		"hangs": {hang: make(chan struct{})},
	}
}

// TestGroups answers groups from several goroutines, while the GPU is sound, fails now and
// then, is lost or hangs, and cancels some. The answers are the Searcher's to the bit.
func TestGroups(t *testing.T) {
	s, qs, want := answeredQueries(t, 1500, 6)
	for name, gpu := range faultyGPUs() {
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
					arena := new(search.Arena)
					if c%2 == 0 {
						arena = nil
					}
					for round := range 6 {
						lo := (c*6 + round) * 50
						ctx, cancel := context.WithCancel(t.Context())
						canceled := c == 3 && round%2 == 0
						if canceled {
							cancel()
						}
						got, err := x.ExecuteInto(ctx, qs[lo:lo+300], arena)
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
			for begin := time.Now(); name == "hangs" && st.Retired == nil && time.Since(begin) < time.Minute; st = x.Stats() {
				time.Sleep(time.Millisecond) // the CPU may have answered all before the hang is noticed
			}
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

// TestCrowd submits many queries one by one, while the
// GPU is sound, fails now and then, is lost or hangs. Each is answered once, as by the Searcher
// to the bit, or with the error of its context.
func TestCrowd(t *testing.T) {
	s, qs, want := answeredQueries(t, few(3000), 16)
	for name, gpu := range faultyGPUs() {
		for _, mode := range []Mode{Parallel, OnlyGPU, OnlyCPU} {
			if name == "hangs" && mode != Parallel {
				continue
			}
			t.Run(fmt.Sprint(name, " ", mode), func(t *testing.T) {
				gpu := &stub{Executor: s, took: gpu.took, fail: gpu.fail, hang: gpu.hang}
				o := Options{Mode: mode, Batch: 100, Lanes: 2, Hang: 10 * time.Second}
				if gpu.hang != nil {
					o.Hang = 20 * time.Millisecond
					defer close(gpu.hang)
				}
				x := newHybrid(t, s, gpu, o)
				canceled, cancel := context.WithCancel(t.Context())
				defer cancel()
				answered := make([]atomic.Int32, len(qs))
				var group, callers sync.WaitGroup
				group.Add(len(qs))
				each := len(qs) / 4
				for c := range 4 {
					callers.Go(func() {
						for i := c * each; i < (c+1)*each; i++ {
							ctx := t.Context()
							if i%50 == 0 {
								ctx = canceled
							}
							if i == each/2 {
								cancel()
							}
							err := x.Submit(ctx, &qs[i], func(hits []search.Hit, err error) {
								if err == nil && !slices.Equal(hits, want[i].Hits) || err != nil && (ctx != canceled || !errors.Is(err, context.Canceled)) {
									t.Errorf("query %d: %v, %v, want %v", i, hits, err, want[i].Hits)
								}
								answered[i].Add(1)
								group.Done()
							})
							if err != nil {
								if ctx != canceled || !errors.Is(err, context.Canceled) {
									t.Errorf("query %d: %v", i, err)
								}
								answered[i].Add(1)
								group.Done()
							}
						}
					})
				}
				callers.Wait()
				group.Wait()
				for i := range answered {
					if n := answered[i].Load(); n != 1 {
						t.Errorf("query %d was answered %d times", i, n)
					}
				}
				st := x.Stats()
				if st.Waiting.CPU+st.Waiting.GPU+st.Waiting.Either > 0 || mode == OnlyCPU && st.GPU.Queries > 0 {
					t.Errorf("%+v", st)
				}
				if gave := st.Retired != nil; gave && name != "lost" && name != "hangs" {
					t.Errorf("the GPU is retired: %v", st.Retired)
				}
			})
		}
	}
}
