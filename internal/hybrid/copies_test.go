package hybrid

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/search"
)

// hung is a GPU whose second batch hangs until gate is closed. Then same says whether its
// queries are still what they were.
type hung struct {
	search.Executor
	mu    sync.Mutex
	calls int
	gate  chan struct{}
	same  chan bool
}

func (g *hung) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	g.mu.Lock()
	g.calls++
	hangs := g.calls == 2
	g.mu.Unlock()
	if !hangs {
		return g.Executor.Execute(ctx, queries)
	}
	was := make([]search.Query, len(queries))
	for i, q := range queries {
		was[i] = q
		was[i].RawTerms = cloneTerms(q.RawTerms)
	}
	<-g.gate
	g.same <- reflect.DeepEqual(was, queries)
	return nil, errors.New("too late")
}

// TestHungReads lets callers change their queries once they are answered: a GPU that hung and goes
// on later reads what it was asked.
func TestHungReads(t *testing.T) {
	s, qs, want := answeredQueries(t, 400, 3)
	for name, ask := range map[string]func(x *Executor, qs []search.Query, answered func(i int, hits []search.Hit, err error)) error{
		"queues": func(x *Executor, qs []search.Query, answered func(i int, hits []search.Hit, err error)) error {
			for lo := 0; lo < len(qs); lo += 40 {
				got, err := x.Execute(t.Context(), qs[lo:lo+40])
				for i := range got {
					answered(lo+i, got[i].Hits, nil)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
		"group": func(x *Executor, qs []search.Query, answered func(i int, hits []search.Hit, err error)) error {
			got, err := x.Execute(t.Context(), qs)
			for i := range got {
				answered(i, got[i].Hits, nil)
			}
			return err
		},
		"one by one": func(x *Executor, qs []search.Query, answered func(i int, hits []search.Hit, err error)) (failed error) {
			var all sync.WaitGroup
			for i := range qs {
				all.Add(1)
				if err := x.Submit(t.Context(), &qs[i], func(hits []search.Hit, err error) {
					answered(i, hits, err)
					all.Done()
				}); err != nil {
					failed = err
					all.Done()
				}
			}
			all.Wait()
			return failed
		},
	} {
		for _, mode := range []Mode{OnlyGPU, Parallel} {
			t.Run(name+" "+mode.String(), func(t *testing.T) {
				g := &hung{Executor: s, gate: make(chan struct{}), same: make(chan bool, 1)}
				x := newHybrid(t, s, g, Options{Mode: mode, Batch: 20, Hang: 20 * time.Millisecond})
				own := slices.Clone(qs)
				for i := range own {
					own[i].RawTerms = cloneTerms(own[i].RawTerms)
				}
				if err := ask(x, own, func(i int, hits []search.Hit, err error) {
					if err != nil || !slices.Equal(hits, want[i].Hits) {
						t.Errorf("query %d: %v, %v, want %v", i, hits, err, want[i].Hits)
					}
					for k, term := range own[i].RawTerms {
						for b := range term {
							term[b] = '-'
						}
						own[i].RawTerms[k] = nil
					}
				}); err != nil {
					t.Fatal(err)
				}
				close(g.gate)
				g.mu.Lock()
				hangs := g.calls >= 2
				g.mu.Unlock()
				if !hangs { // on a busy machine the first batch may take too long
					if mode == OnlyGPU && !errors.Is(x.Stats().Retired, ErrHung) {
						t.Error("no batch hung")
					}
					return
				}
				if !<-g.same {
					t.Error("the queries of a GPU that hung have changed")
				}
			})
		}
	}
}

func cloneTerms(terms [][]byte) (out [][]byte) {
	for _, t := range terms {
		out = append(out, slices.Clone(t))
	}
	return out
}
