package hybrid

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/query/pool"
)

// TestOverlooked asks one query after the other while another goroutine takes the cores
// from the scheduler at any point: a query that arrives when it has just looked is answered, too,
// though no other comes after it.
func TestOverlooked(t *testing.T) {
	s, qs, want := answeredQueries(t, 100, 12)
	cpu, err := pool.New(s, pool.Options{Workers: 1, SpinFor: -1})
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(cpu, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rounds := 10000
	if testing.Short() {
		rounds = 1000
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range rounds {
			i := n % len(qs)
			r, err := x.Search(t.Context(), qs[i])
			if err != nil || !slices.Equal(r.Hits, want[i].Hits) {
				t.Errorf("query %d: %v, %v", i, r.Hits, err)
			}
		}
	}()
	var end atomic.Bool
	var busy sync.WaitGroup
	busy.Go(func() {
		for !end.Load() { // takes a core
		}
	})
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("a query is not answered: %+v", x.Stats())
	}
	end.Store(true)
	busy.Wait()
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	cpu.Close()
}

// TestOverlookedAnswers counts answers while the scheduler lowers the number that are told at
// once: nobody else tells it of them.
func TestOverlookedAnswers(t *testing.T) {
	s, _, _ := answeredQueries(t, 1, 13)
	cpu, err := pool.New(s, pool.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(cpu, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	x.chunk.Store(6)
	x.done.queries.Add(2)
	if x.overlooked() {
		t.Error("two answers of six are told")
	}
	x.chunk.Store(1)
	if !x.overlooked() {
		t.Error("two answers are not told")
	}
	x.done.queries.Store(0)
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	cpu.Close()
}
