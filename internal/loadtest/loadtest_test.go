package loadtest

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/search"
)

func TestArrivals(t *testing.T) {
	due := Arrivals(2000, 10*time.Second, 1)
	if n := len(due); n < 19_000 || n > 21_000 || !slices.IsSorted(due) {
		t.Errorf("%d arrivals in 10 s at 2000/s", n)
	}
	sum, squares := 0.0, 0.0
	for i := 1; i < len(due); i++ {
		gap := (due[i] - due[i-1]).Seconds()
		sum, squares = sum+gap, squares+gap*gap
	}
	n := float64(len(due) - 1)
	mean := sum / n
	if spread := math.Sqrt(squares/n-mean*mean) / mean; spread < 0.95 || spread > 1.05 {
		t.Errorf("gaps spread by %.2f of their mean, not 1 as in a Poisson process", spread)
	}
	if due := Arrivals(0.001, time.Second, 1); len(due) == 0 || due[len(due)-1] < time.Second/5 {
		t.Errorf("%v: nothing to measure", due)
	}
}

// TestAsking asks queries when they are due, each once, though the goroutine that asks them is held
// up: others help.
func TestAsking(t *testing.T) {
	const n, stuck = 2000, 100
	due := make([]time.Duration, n)
	for i := range due {
		due[i] = time.Duration(i) * 10 * time.Microsecond
	}
	a := newAsking(due, 3)
	a.replies = a.replies[:100] // some are used again, others are busy
	defer a.clock.Stop()
	var asked [n]atomic.Int32
	var helped, answers atomic.Int64
	helping := make(chan struct{})
	a.ask = func(i int, done func([]search.Hit, error)) error {
		asked[i].Add(1)
		if a.clock.Now() < due[i] {
			t.Errorf("query %d is asked %v too early", i, due[i]-a.clock.Now())
		}
		switch {
		case i == stuck:
			time.Sleep(5 * time.Millisecond)
		case i == stuck+1: // late, and held up until another goroutine has asked
			<-helping
		case i > stuck+1 && helped.Add(1) == 1:
			close(helping)
		}
		if i == n-1 {
			return hybrid.ErrOverload
		}
		go func() {
			answers.Add(1)
			done(nil, nil)
		}()
		return nil
	}
	a.run(3)
	for i := range asked {
		if k := asked[i].Load(); k != 1 {
			t.Fatalf("query %d is asked %d times", i, k)
		}
	}
	if a.took[n-1] != Refused || answers.Load() != n-1 || a.took[stuck] < 5*time.Millisecond {
		t.Errorf("%d answers, the last took %v, one that was held up %v", answers.Load(), a.took[n-1], a.took[stuck])
	}
	a = newAsking(make([]time.Duration, 10), 1)
	defer a.clock.Stop()
	broken := errors.New("broken")
	a.ask = func(int, func([]search.Hit, error)) error { return broken }
	if a.run(1); a.failed.Load() == nil || *a.failed.Load() != broken {
		t.Error("the error of a query is lost")
	}
}

// asked is an Executor that remembers what it was asked.
type asked struct {
	mu     sync.Mutex
	counts map[int]int // by K
	groups int
}

func (a *asked) Search(context.Context, search.Query) (search.Result, error) {
	return search.Result{}, errors.New("asked alone")
}

func (a *asked) Execute(_ context.Context, queries []search.Query) ([]search.Result, error) {
	time.Sleep(time.Millisecond)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range queries {
		a.counts[q.K]++
	}
	a.groups++
	return make([]search.Result, len(queries)), nil
}

func testSaturateGroups(t *testing.T, size int) {
	queries := make([]search.Query, 10)
	for i := range queries {
		queries[i].K = i
	}
	a := &asked{counts: map[int]int{}}
	var row Result
	if err := SaturateGroups(t.Context(), a, queries, size, 20*time.Millisecond, &row); err != nil {
		t.Fatal(err)
	}
	for k, n := range a.counts {
		if n < size*a.groups/10-1 || n > size*a.groups/10+1 {
			t.Errorf("groups of %d: %d queries were asked, query %d %d times", size, size*a.groups, k, n)
		}
	}
	if row.Queries == 0 || row.Queries > uint64(size*a.groups) {
		t.Errorf("groups of %d: %d of %d answers count", size, row.Queries, size*a.groups)
	}
}

// TestSaturateGroups asks groups longer and shorter than the log: every query comes as often as
// any other, give or take the last groups.
func TestSaturateGroups(t *testing.T) {
	for _, size := range []int{1, 3, 10, 64} {
		synctest.Test(t, func(t *testing.T) { testSaturateGroups(t, size) })
	}
	for _, c := range []struct{ a, b, want int }{{0, 10, 0}, {5, 25, 75}, {10, 20, 100}, {35, 45, 50}, {0, 80, 37}, {50, 60, 0}} {
		if n := within(time.Duration(c.a), time.Duration(c.b), 10, 40, 100); n < int64(c.want) || n > int64(c.want)+1 {
			t.Errorf("%d of 100 answers from %d to %d count, want %d", n, c.a, c.b, c.want)
		}
	}
}
