package hybrid

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
	"github.com/pinion-index/pinion/reader"
)

// idleExecutor returns an Executor without a GPU, and a query with its answer.
func idleExecutor(t *testing.T) (x *Executor, q query.Query, want []query.Hit) {
	s, qs, results := answeredQueries(t, 1, 12)
	cpu, err := pool.New(s, pool.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cpu.Close)
	if x, err = New(cpu, nil, Options{}); err != nil {
		t.Fatal(err)
	}
	return x, qs[0], results[0].Hits
}

// TestOverlooked asks a query just after the scheduler has taken those that have arrived, and when
// no processor was idle the last time that it looked: it is answered, though none comes after it.
func TestOverlooked(t *testing.T) {
	x, q, want := idleExecutor(t)
	answer := make(chan []query.Hit, 1)
	x.absorbed = func() {
		x.absorbed = nil
		x.hungry.Store(false)
		if err := x.Submit(t.Context(), &q, func(hits []query.Hit, err error) {
			if err != nil {
				t.Error(err)
			}
			answer <- slices.Clone(hits)
		}); err != nil {
			t.Error(err)
		}
	}
	x.pump()
	select {
	case hits := <-answer:
		if !slices.Equal(hits, want) {
			t.Errorf("%v, want %v", hits, want)
		}
	case <-time.After(time.Minute):
		t.Fatal("the query is not answered")
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// TestSubmitReturns gives answers in a goroutine that does not call Submit, also of trivial queries and
// of those that the Pool refuses since it is closed.
func TestSubmitReturns(t *testing.T) {
	s, _ := newSnapshot(t)
	x := newHybrid(t, s, nil, Options{})
	for _, open := range []bool{true, false} {
		if !open {
			x.cpu.Close()
		}
		for name, q := range map[string]query.Query{"no terms": {K: 10}, "a term": {RawTerms: [][]byte{[]byte("w1")}}} {
			returned, done := make(chan struct{}), make(chan error, 1)
			if err := x.Submit(t.Context(), &q, func(_ []query.Hit, err error) {
				select {
				case <-returned:
				case <-time.After(10 * time.Second):
					t.Errorf("%s, open %v: Submit waits for the answer", name, open)
				}
				done <- err
			}); err != nil {
				t.Fatal(err)
			}
			close(returned)
			if err := <-done; open && err != nil || !open && !errors.Is(err, reader.ErrClosed) {
				t.Errorf("%s, open %v: %v", name, open, err)
			}
		}
	}
}

// TestOverlookedAnswers counts answers of the CPU just after the scheduler has taken those that
// there were, while more are told at once: it takes them, too, though nobody tells it.
func TestOverlookedAnswers(t *testing.T) {
	x, _, _ := idleExecutor(t)
	x.chunk.Store(6)
	x.policy.cpu.queries = 2
	x.absorbed = func() {
		x.absorbed = nil
		x.done.queries.Add(2)
	}
	x.pump()
	if n, left := x.policy.cpu.queries, x.done.queries.Load(); n != 0 || left != 0 {
		t.Errorf("%d queries are on the CPU, %d answers are not taken", n, left)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}
