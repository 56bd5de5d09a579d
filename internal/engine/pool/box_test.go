package pool

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// occupy gives each worker of p a query whose answer is not taken before release, so that a test can put the workers
// into sets and boxes itself.
func occupy(t *testing.T, p *Pool, q *search.Query) (release func()) {
	t.Helper()
	gate := make(chan struct{})
	var in sync.WaitGroup
	for range p.workers {
		in.Add(1)
		if err := p.Submit(context.Background(), q, func([]search.Hit, error) { in.Done(); <-gate }); err != nil {
			t.Fatal(err)
		}
	}
	in.Wait()
	return func() { close(gate) }
}

// TestBox checks what spinning workers are given, case by case.
func TestBox(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(81, 82)), 300, 80, 12), nil)
	q := search.Query{RawTerms: querytest.Terms("w0", "w3"), K: 10}
	p := newTestPool(t, s, Options{Workers: 2, SpinFor: time.Minute})
	release := occupy(t, p, &q)
	var answers atomic.Int64
	submit := func() {
		t.Helper()
		if err := p.Submit(context.Background(), &q, func(hits []search.Hit, err error) {
			if err != nil || len(hits) == 0 {
				t.Errorf("%d hits, %v", len(hits), err)
			}
			answers.Add(1)
		}); err != nil {
			t.Fatal(err)
		}
	}
	first, second := p.workers[0], p.workers[1]
	now := time.Now()

	p.spinning.add(0)
	spare := p.newJob().(*job)
	first.spare = spare
	submit() // into the box of the worker that spins, as its spare job
	if first.box.Load() != spare || first.spare != nil || p.spinning.has(0) || p.entry.len() != 0 {
		t.Fatalf("a spinning worker has %p in its box, spare %p, spins %v; %d queries in the queue", first.box.Load(), first.spare, p.spinning.has(0), p.entry.len())
	}
	if !first.waitAtBox(now) {
		t.Error("a worker leaves its box with a query in it")
	}
	submit() // none spins
	if first.box.Load() != spare || p.entry.len() != 1 {
		t.Fatalf("%d queries in the queue, not 1", p.entry.len())
	}
	p.spinning.add(1) // after the query came
	if !second.waitAtBox(now) || p.spinning.has(1) || second.box.Load() != nil {
		t.Error("a worker begins to spin though a query waits")
	}
	p.spinning.add(1) // after a submitter has found none that spins, and before it adds its query to the queue
	if err := p.admit(); err != nil {
		t.Fatal(err)
	}
	j := p.newJob().(*job)
	j.start(context.Background(), &q)
	j.notify = func([]search.Hit, error) { answers.Add(1) }
	if err := p.enqueue(j); err != nil {
		t.Fatal(err)
	}
	if second.box.Load() != &p.look || p.spinning.has(1) {
		t.Error("a worker that spins is not told of a query in the queue")
	}
	if !second.waitAtBox(now) {
		t.Error("a worker leaves its box though it is told to look")
	}
	release()
	// Each worker empties its box, the second maybe after the first has answered everything.
	for answers.Load() < 3 || first.box.Load() != nil || second.box.Load() != nil {
		runtime.Gosched()
	}
}

// TestLent checks that a worker leaves its box to a caller that works in its place, and comes back.
func TestLent(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(81, 82)), 300, 80, 12), nil)
	q := search.Query{RawTerms: querytest.Terms("w0", "w3"), K: 10}
	p := newTestPool(t, s, Options{Workers: 1, SpinFor: time.Minute})
	release := occupy(t, p, &q)
	p.spinning.add(0)
	w := p.borrow()
	if w == nil || w.box.Load() != &p.lent {
		t.Fatalf("%v is lent", w)
	}
	done := make(chan struct{})
	if err := p.Submit(context.Background(), &q, func([]search.Hit, error) { close(done) }); err != nil { // meanwhile
		t.Fatal(err)
	}
	p.giveBack(w) // wakes it, since a query waits
	if !w.waitAtBox(time.Now()) || w.box.Load() != nil {
		t.Error("the worker does not come back")
	}
	release()
	<-done
}

// TestReserve checks when queries wake the last workers.
func TestReserve(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(81, 82)), 300, 80, 12), nil)
	q := search.Query{RawTerms: querytest.Terms("w0", "w3"), K: 10}
	for _, c := range []struct {
		name    string
		typical time.Duration
		waiting int
		rest    int
		caller  bool // waits for the answer
		want    int  // that sleep afterwards, of 2
	}{
		{"few wait", 5 * time.Microsecond, 1, 0, false, 2},
		{"many wait", 5 * time.Microsecond, 5 * reserveAt, 0, false, 1},
		{"queries take long", longQuery, 1, 0, false, 1},
		{"a caller waits", 5 * time.Microsecond, 1, 0, true, 1},
		{"all rest", longQuery, 5 * reserveAt, 2, true, 2},
	} {
		p := newTestPool(t, s, Options{Workers: 5, SpinFor: -1})
		release := occupy(t, p, &q)
		p.reserve = 2
		p.typical.Store(int64(c.typical))
		p.rest.Store(int64(c.rest))
		var done sync.WaitGroup
		for range c.waiting - 1 {
			done.Add(1)
			if err := p.Submit(context.Background(), &q, func([]search.Hit, error) { done.Done() }); err != nil {
				t.Fatal(err)
			}
		}
		p.sleeping.add(3)
		p.sleeping.add(4)
		var notify func([]search.Hit, error)
		if !c.caller {
			done.Add(1)
			notify = func([]search.Hit, error) { done.Done() }
		}
		j, err := p.start(context.Background(), &q, nil, notify)
		if err != nil {
			t.Fatal(err)
		}
		if n := p.sleeping.len(); n != c.want {
			t.Errorf("%s: %d sleep, not %d", c.name, n, c.want)
		}
		p.Rest(0)
		p.sleeping.remove(3)
		p.sleeping.remove(4)
		release()
		done.Wait()
		if c.caller {
			if _, _, err := p.wait(j, nil, nil); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestNoQueryLost submits, offers, cancels and asks for queries in bursts, from several goroutines, while workers are
// made to rest, and closes the Pool meanwhile. Each query that the Pool accepts is answered once, before Close returns.
func TestNoQueryLost(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(83, 84)), 3000, 80, 12), nil, 1500)
	q := search.Query{RawTerms: querytest.Terms("w0", "w3"), K: 10}
	want, err := s.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for round := range rounds {
		spin := []time.Duration{-1, time.Microsecond, 50 * time.Microsecond, time.Millisecond}[round%4]
		p := newTestPool(t, s, Options{Workers: 1 + round%5, SpinFor: spin})
		p.reserve = min(round%2, len(p.workers)-1)
		var group sync.WaitGroup
		var closing atomic.Bool
		type outcome struct{ asked, answered atomic.Int32 }
		const each = 150
		var outcomes [4 * each]outcome
		for g := range 4 {
			rng := rand.New(rand.NewPCG(uint64(round), uint64(g)))
			group.Go(func() {
				for i := range each {
					o := &outcomes[g*each+i]
					ctx := context.Background()
					if rng.IntN(8) == 0 {
						ctx = canceled
					}
					right := func(hits []search.Hit, err error) bool {
						return err == nil && slices.Equal(hits, want.Hits) || ctx == canceled && errors.Is(err, context.Canceled)
					}
					done := func(hits []search.Hit, err error) {
						o.answered.Add(1)
						if !right(hits, err) {
							t.Errorf("%v, %s", err, difference(want.Hits, hits))
						}
					}
					var err error
					switch rng.IntN(8) {
					case 0:
						var r search.Result
						if r, err = p.Search(ctx, q); !errors.Is(err, reader.ErrClosed) && !right(r.Hits, err) {
							t.Errorf("%v, %s", err, difference(want.Hits, r.Hits))
						}
					case 1:
						_, err = p.Execute(context.Background(), []search.Query{q, {}, q, q})
					case 2:
						o.asked.Add(1)
						err = p.Offer(ctx, &q, func() bool { // another processor answers
							if rng.IntN(2) == 0 {
								return true
							}
							done(want.Hits, nil)
							return false
						}, done)
						if err != nil {
							o.asked.Add(-1)
						}
						for err == nil && o.answered.Load() == 0 { // rng is g's alone
							runtime.Gosched()
						}
					case 3:
						p.Rest(rng.IntN(6))
					case 4:
						time.Sleep(time.Duration(rng.IntN(100)) * time.Microsecond)
					default:
						o.asked.Add(1)
						if err = p.Submit(ctx, &q, done); err != nil {
							o.asked.Add(-1)
						}
					}
					if errors.Is(err, reader.ErrClosed) {
						if !closing.Load() {
							t.Error("closed too early")
						}
						return
					}
					if err != nil && !(ctx == canceled && errors.Is(err, context.Canceled)) {
						t.Error(err)
					}
				}
			})
		}
		if round%3 == 0 {
			time.Sleep(time.Duration(round) * 20 * time.Microsecond)
		} else {
			group.Wait()
		}
		closing.Store(true)
		p.Close()
		for i := range outcomes {
			if o := &outcomes[i]; o.answered.Load() > o.asked.Load() {
				t.Fatalf("round %d: query %d was answered %d times", round, i, o.answered.Load())
			}
		}
		group.Wait()
		for i := range outcomes {
			if o := &outcomes[i]; o.asked.Load() != o.answered.Load() {
				t.Fatalf("round %d: query %d, submitted %d times, was answered %d times", round, i, o.asked.Load(), o.answered.Load())
			}
		}
	}
}
