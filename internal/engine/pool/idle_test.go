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
	"github.com/pinion-index/pinion/query"
)

func TestWorkerSet(t *testing.T) {
	const n = 130
	s := newWorkerSet(n)
	in := map[int]bool{}
	rng := rand.New(rand.NewPCG(71, 72))
	least := func() int {
		for i := range n {
			if in[i] {
				return i
			}
		}
		return -1
	}
	greatest := func() int {
		for i := n - 1; i >= 0; i-- {
			if in[i] {
				return i
			}
		}
		return -1
	}
	for range 5000 {
		i := rng.IntN(n)
		switch rng.IntN(6) {
		case 5:
			but := newWorkerSet(n)
			for j := range n / 2 {
				but.add(j)
			}
			want := -1
			for j := n / 2; j < n && want < 0; j++ {
				if in[j] {
					want = j
				}
			}
			if got := s.firstBut(but); got != want {
				t.Fatalf("first but the lower half is %d, not %d", got, want)
			}
			delete(in, want)
		case 0, 1:
			s.add(i)
			in[i] = true
		case 2:
			if got := s.remove(i); got != in[i] {
				t.Fatalf("remove %d: %v", i, got)
			}
			delete(in, i)
		case 3:
			want := least()
			if got := s.first(); got != want {
				t.Fatalf("first is %d, not %d", got, want)
			}
			delete(in, want)
		default:
			want := greatest()
			if got := s.last(); got != want {
				t.Fatalf("last is %d, not %d", got, want)
			}
			delete(in, want)
		}
		if s.len() != len(in) || s.empty() != (len(in) == 0) {
			t.Fatalf("%d in the set, not %d", s.len(), len(in))
		}
	}
}

// Only one goroutine at a time can take a worker out of a set.
func TestWorkerSetConcurrency(t *testing.T) {
	const n, rounds = 70, 300
	s := newWorkerSet(n)
	var taken [n]atomic.Int32
	var group sync.WaitGroup
	for i := range n {
		s.add(i)
	}
	for g := range 4 {
		group.Go(func() {
			for range rounds {
				take := s.first
				if g%2 == 1 {
					take = s.last
				}
				i := take()
				if i < 0 {
					continue
				}
				if taken[i].Add(1) != 1 {
					t.Errorf("%d is out twice", i)
				}
				taken[i].Add(-1)
				s.add(i)
			}
		})
	}
	group.Wait()
	if s.len() != n {
		t.Errorf("%d left of %d", s.len(), n)
	}
}

// Each wake ends one sleep, in whichever order they come, in the kernel and on a channel.
func TestSleeper(t *testing.T) {
	for _, kernel := range []bool{false, true} {
		var ping, pong sleeper
		ping.init()
		pong.init()
		turns := 0
		var group sync.WaitGroup
		group.Go(func() {
			for range 500 {
				ping.sleep(kernel)
				turns++
				pong.wake()
			}
		})
		for i := range 500 {
			ping.wake()
			if i%3 == 0 {
				time.Sleep(time.Microsecond)
			}
			if i%2 == 0 || !pong.woken() {
				pong.sleep(kernel)
			}
			if turns != i+1 {
				t.Fatalf("%d turns after %d wakes", turns, i+1)
			}
		}
		group.Wait()
		if ping.woken() || pong.woken() {
			t.Error("a wake is left over")
		}
	}
}

// TestRest leaves Ps to others: workers sleep although they might spin, and in Go's scheduler, since
// in the kernel they keep their Ps.
func TestRest(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(73, 74)), 300, 80, 12), nil)
	q := search.Query{RawTerms: querytest.Terms("w0", "w3"), K: 10}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8)) // so that all workers may sleep in the kernel
	p := newTestPool(t, s, Options{Workers: 4, SpinFor: time.Minute})
	for _, n := range []int{2, 0, 4, 9} {
		p.Rest(n)
		var group sync.WaitGroup
		for range 400 {
			group.Add(1)
			if err := p.Submit(context.Background(), &q, func([]search.Hit, error) { group.Done() }); err != nil {
				t.Fatal(err)
			}
		}
		group.Wait()
		for _, w := range p.workers { // those that have slept since before go to sleep anew
			p.unpark(w)
		}
		least, state := uint32(min(n, 3)), uint32(sleepParked)
		if n == 0 {
			if !haveFutex {
				continue
			}
			least, state = 1, sleepAsleep
		}
		asked := time.Now()
		for begun := asked; ; runtime.Gosched() {
			if time.Since(asked) > 20*time.Millisecond { // a worker that lost its core before has yet to hear of n
				asked = time.Now()
				if err := p.Submit(context.Background(), &q, func([]search.Hit, error) {}); err != nil {
					t.Fatal(err)
				}
			}
			asleep := uint32(0)
			for _, w := range p.workers {
				if w.sleeper.state.Load() == state {
					asleep++
				}
			}
			if asleep >= least && asleep+uint32(p.spinning.len()) == 4 {
				break
			}
			if time.Since(begun) > time.Minute {
				t.Fatalf("rest %d: %d of %d sleeping workers sleep as they should, %d spin", n, asleep, p.sleeping.len(), p.spinning.len())
			}
		}
	}
}

// TestParked checks that of idle workers that share no query some leave their Ps, and that others wake before them.
func TestParked(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(73, 74)), 300, 80, 12), nil)
	q := search.Query{RawTerms: querytest.Terms("w0", "w3"), K: 10}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	p := newTestPool(t, s, Options{Workers: 16, SpinFor: -1})
	if p.mustPark != 2 {
		t.Fatalf("%d of 16 workers must park", p.mustPark)
	}
	asleep := func() {
		for begun := time.Now(); p.sleeping.len() < 16 || p.parked.len() < 2; runtime.Gosched() {
			if time.Since(begun) > time.Minute {
				t.Fatalf("%d workers sleep, %d without a P", p.sleeping.len(), p.parked.len())
			}
		}
	}
	asleep()
	for range 200 {
		if _, err := p.Search(context.Background(), q); err != nil { // on a worker that the caller borrows
			t.Fatal(err)
		}
		done := make(chan struct{})
		if err := p.Submit(context.Background(), &q, func([]search.Hit, error) { close(done) }); err != nil {
			t.Fatal(err)
		}
		if n := p.parked.len(); n < 2 {
			t.Fatalf("%d of 16 workers without a P while one works", n)
		}
		<-done
		asleep()
	}
}

// TestGiveWay checks when a worker yields.
func TestGiveWay(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(73, 74)), 300, 80, 12), nil)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	for _, c := range []struct {
		name    string
		o       Options
		parked  bool
		resting int
		yielded time.Duration // ago
		want    bool
	}{
		{"had its turn", Options{Workers: 16}, false, 0, 2 * time.Hour, true},
		{"has its turn", Options{Workers: 16}, false, 0, time.Minute, false},
		{"a worker is parked", Options{Workers: 16}, true, 0, 2 * time.Hour, false},
		{"a worker rests for others", Options{Workers: 16}, true, 1, 2 * time.Hour, true},
		{"Ps are left", Options{Workers: 14}, false, 0, 2 * time.Hour, false},
		{"workers share a query", Options{Workers: 16, Model: FineGrained}, false, 0, 2 * time.Hour, false},
	} {
		p := newTestPool(t, s, c.o)
		p.Close()
		w := p.workers[3]
		w.yielded = time.Now().Add(-c.yielded)
		p.rest.Store(int64(c.resting))
		if c.parked {
			p.parked.add(5)
		}
		for _, want := range []bool{c.want, false} { // what is due is due once
			if got := w.due(time.Hour); got != want {
				t.Errorf("%s: due %v", c.name, got)
			}
		}
		w.yielded = time.Time{}
		for range 4 * mostStride { // none takes long, so the clock is read after some only
			w.stepped()
		}
		if yielded := !w.yielded.IsZero(); yielded != (c.want || c.name == "has its turn") || w.stride > mostStride {
			t.Errorf("%s: yielded %v, %d steps between two looks at the clock", c.name, yielded, w.stride)
		}
	}
}

// BenchmarkOthers measures how late a goroutine runs that sleeps for a millisecond at a time, median and 99th percentile,
// while half of the workers, or all, always have a query.
func BenchmarkOthers(b *testing.B) {
	s := newSearcher(b, querytest.ZipfDocs(rand.New(rand.NewPCG(73, 74)), 30000, 80, 12), nil)
	q := search.Query{RawTerms: querytest.Terms("w0", "w3", "w9"), K: 10}
	n := runtime.GOMAXPROCS(0)
	for name, busy := range map[string]int{"half": max(n/2, 1), "all": n} {
		b.Run(name, func(b *testing.B) {
			p := newTestPool(b, s, Options{})
			var ended atomic.Bool
			var group sync.WaitGroup
			var next func([]search.Hit, error)
			ask := func() {
				if err := p.Submit(context.Background(), &q, next); err != nil {
					b.Error(err)
					group.Done()
				}
			}
			next = func([]search.Hit, error) {
				if ended.Load() {
					group.Done()
					return
				}
				ask()
			}
			for range busy {
				group.Add(1)
				ask()
			}
			var late []time.Duration
			for b.Loop() {
				begun := time.Now()
				time.Sleep(time.Millisecond)
				late = append(late, time.Since(begun)-time.Millisecond)
			}
			ended.Store(true)
			group.Wait()
			slices.Sort(late)
			b.ReportMetric(float64(late[len(late)/2].Microseconds()), "us-median")
			b.ReportMetric(float64(late[len(late)*99/100].Microseconds()), "us-p99")
		})
	}
}

// Callers and submitters come and go while workers fall asleep at once, soon or never. This
// exercises every way to find or wake a worker.
func TestPoolRest(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(73, 74)), 3000, 80, 12), nil, 1500)
	q := search.Query{RawTerms: querytest.Terms("w0", "w3"), K: 10}
	want, err := s.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		for _, spin := range []time.Duration{-1, time.Microsecond, time.Minute} {
			p := newTestPool(t, s, Options{Workers: 3, Model: m, TaskPostings: 256, SpinFor: spin})
			var group sync.WaitGroup
			for g := range 4 {
				rng := rand.New(rand.NewPCG(75, uint64(g)))
				group.Go(func() {
					for range 40 {
						if rng.IntN(4) == 0 {
							time.Sleep(time.Duration(rng.IntN(200)) * time.Microsecond)
						}
						if g == 0 {
							group.Add(1)
							err := p.Submit(context.Background(), &q, func(hits []search.Hit, err error) {
								if err != nil || !slices.Equal(hits, want.Hits) {
									t.Errorf("%v: %v, %s", m, err, difference(want.Hits, hits))
								}
								group.Done()
							})
							if err != nil {
								t.Error(err)
							}
							continue
						}
						if res, err := p.Search(context.Background(), q); err != nil || !slices.Equal(res.Hits, want.Hits) {
							t.Errorf("%v: %v, %s", m, err, difference(want.Hits, res.Hits))
						}
					}
				})
			}
			group.Wait()
			p.Close()
		}
	}
}

// tripwire is a context that ends on the n-th call of Done. Each task of a query that is new to
// a worker calls it.
type tripwire struct {
	context.Context
	mu   sync.Mutex // no other call passes while one ends the context
	left int
	done chan struct{}
	err  error
}

func (c *tripwire) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		close(c.done)
	}
	return c.done
}

func (c *tripwire) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// When a query's context ends, tasks that have not begun are dropped.
func TestPoolDropsTasks(t *testing.T) {
	s := newSearcher(t, querytest.ZipfDocs(rand.New(rand.NewPCG(77, 78)), 20000, 20, 20), nil)
	for _, m := range models {
		for _, mode := range []query.Mode{query.ModeAnd, query.ModeOr} {
			for _, workers := range []int{1, 4} {
				for _, reason := range []error{context.Canceled, context.DeadlineExceeded} {
					p := newTestPool(t, s, Options{Workers: workers, Model: m, TaskPostings: 128})
					// The first call is for the query, the second for its first task.
					ctx := &tripwire{Context: context.Background(), done: make(chan struct{}), err: reason}
					ctx.left = 2
					q := search.Query{RawTerms: querytest.Terms("w0", "w1"), K: 10, Mode: mode}
					// Not by Search: a caller that waits for a worker calls Done too.
					ended := make(chan error, 1)
					if err := p.Submit(ctx, &q, func(_ []search.Hit, err error) { ended <- err }); err != nil {
						t.Fatal(err)
					}
					if err := <-ended; !errors.Is(err, reason) {
						t.Errorf("%v, %v: %v, not %v", m, mode, err, reason)
					}
					n := p.Counts()
					if m == FineGrained && n.Tasks < 16 {
						t.Errorf("only %d tasks", n.Tasks)
					}
					if n.Performed > uint64(workers) {
						t.Errorf("%v, %v, %d workers: %d of %d tasks were performed after the end", m, mode, workers, n.Performed, n.Tasks)
					}
					if res, err := p.Search(context.Background(), q); err != nil || len(res.Hits) != 10 {
						t.Errorf("%v, %v: afterwards %v, %v", m, mode, res, err)
					}
				}
			}
		}
	}
}
