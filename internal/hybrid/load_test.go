package hybrid

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/search"
)

// loaded returns an Executor with 16 cores that has measured the GPU's rate, 0 for none, and runs no goroutine.
func loaded(t *testing.T, gpu float64) *Executor {
	x := newHybridOn(t, 16, newIndex(t), nil, Options{})
	x.workers = 16
	x.gone.Store(false)
	t.Cleanup(func() { x.gone.Store(true) })
	if gpu > 0 {
		x.meter.batches, x.meter.n, x.meter.took = telling, gpu/100, 0.01
	}
	return x
}

// simulated are cores that answer so many queries a second, of what arrives at an Executor.
type simulated struct {
	x        *Executor
	capacity float64
	waiting  float64
	now      time.Duration
}

// offer lets queries arrive at a rate for a window. The cores and the GPU answer, as decided.
func (s *simulated) offer(rate float64, took time.Duration) {
	l := &s.x.load
	s.waiting += (rate - s.capacity) * took.Seconds()
	if l.crowded.Load() {
		s.waiting = 0
	}
	if over := min(s.waiting-float64(l.cores()), 4096); over > 0 { // the GPU takes a batch
		s.waiting -= over
		s.x.stolen[1].Add(int64(over))
	}
	s.waiting = max(s.waiting, 0)
	s.x.either.n.Store(int64(s.waiting))
	s.now += took
	l.decide(s.x, rate*took.Seconds(), took, s.now)
	s.x.either.n.Store(0)
}

// While a host stops for 10 ms nothing arrives; then all comes at once. At half of what the cores can answer, and at most of
// it, they answer nevertheless.
func TestStops(t *testing.T) {
	const stop = 10 * time.Millisecond
	for _, rate := range []float64{0.8e6, 1.4e6} {
		x := loaded(t, 3e6)
		x.load.each.Store(10_000)
		s := &simulated{x: x, capacity: 1.6e6, now: time.Second}
		for range 20 {
			for range 100 {
				s.offer(rate, window)
			}
			s.offer(0, stop)
			s.offer(rate*float64(stop+window)/float64(window), window)
			if x.load.crowded.Load() {
				t.Fatalf("%.0f a second: after a stop the GPU answers all, behind %.2f", rate, x.load.behind)
			}
		}
	}
}

// TestSwitch says how soon the GPU answers all when more arrive than the cores can answer, and that the cores are tried again.
func TestSwitch(t *testing.T) {
	for _, c := range []struct {
		rate float64
		most time.Duration
	}{{1.7e6, 150 * time.Millisecond}, {3.2e6, 100 * time.Millisecond}, {8e6, 10 * time.Millisecond}} {
		x := loaded(t, 20e6)
		x.load.each.Store(10_000)
		s := &simulated{x: x, capacity: 1.6e6}
		for !x.load.crowded.Load() && s.now < time.Second {
			s.offer(c.rate, window)
		}
		if s.now > c.most {
			t.Errorf("%.0f a second: the GPU answers all after %v", c.rate, s.now)
		}
		for end := s.now + retry; s.now < end; {
			if s.offer(c.rate, window); !x.load.crowded.Load() && s.now < end {
				t.Fatalf("%.0f a second: the cores answer after %v", c.rate, s.now)
			}
		}
		for end := s.now + retry/10; s.now < end; {
			s.offer(0.4e6, window)
		}
		if x.load.crowded.Load() {
			t.Errorf("after %.0f a second, few are not for the cores", c.rate)
		}
	}
}

// Each query that arrives counts, whoever asks: the load is taken from that.
func TestArrivals(t *testing.T) {
	x := newHybrid(t, newIndex(t), nil, Options{})
	q := search.Query{RawTerms: [][]byte{[]byte("w1")}}
	answered := make(chan error)
	for name, ask := range map[string]func() error{
		"Search": func() error { _, err := x.Search(t.Context(), q); return err },
		"Submit": func() error {
			err := x.Submit(t.Context(), &q, func(_ []search.Hit, err error) { answered <- err })
			if err == nil {
				err = <-answered
			}
			return err
		},
		"Execute": func() error { _, err := x.Execute(t.Context(), []search.Query{q}); return err },
	} {
		before := x.gate.came()
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		if n := x.gate.came() - before; n != 1 {
			t.Errorf("%s: %d queries arrived", name, n)
		}
	}
}

// TestLearned says what of many samples remains.
func TestLearned(t *testing.T) {
	x := loaded(t, 0)
	l := &x.load
	for range 1000 {
		l.learn(5 * time.Microsecond)
		l.learn(15 * time.Microsecond)
	}
	if each := l.each.Load(); each < 9500 || each > 10500 {
		t.Errorf("the average of 5 and 15 us is %d ns", each)
	}
	l.learn(time.Second)
	if each := l.each.Load(); each > 11500 {
		t.Errorf("after one of a second it is %d ns", each)
	}
}

// TestCrowded says who answers submitted queries.
func TestCrowded(t *testing.T) {
	const each = 10_000 // nanoseconds of a core: 16 answer 1.6 million a second
	for _, c := range []struct {
		name    string
		gpu     float64 // queries/s
		rates   []float64
		crowded bool
		nothing bool // for the GPU
	}{
		{"few", 0, []float64{100e3}, false, false},
		{"near the limit", 3e6, []float64{1.5e6}, false, false},
		{"over the limit", 0, []float64{1.7e6}, true, false},
		{"over the limit, of a GPU that is faster", 3e6, []float64{1.7e6}, true, false},
		{"over the limit, of a GPU that is slower", 1.2e6, []float64{1.7e6}, false, false},
		{"over the limit, of a GPU that is much slower", 0.2e6, []float64{1.7e6}, false, true},
		{"less again", 3e6, []float64{1.7e6, 0.5e6}, false, false},
		{"not much less", 3e6, []float64{1.7e6, 1e6}, true, false},
		{"more than the GPU can", 3e6, []float64{5e6}, true, false},
	} {
		x := loaded(t, c.gpu)
		x.load.each.Store(each)
		s := &simulated{x: x, capacity: 16 * 1e9 / each, now: time.Second}
		for _, rate := range c.rates {
			for range 200 {
				s.offer(rate, window)
			}
		}
		if got := x.load.crowded.Load(); got != c.crowded {
			t.Errorf("%s: the GPU answers all: %v", c.name, got)
		}
		if got := x.load.ahead.Load() == math.MaxInt32; got != c.nothing {
			t.Errorf("%s: %d queries are left to the cores", c.name, x.load.ahead.Load())
		}
	}
}

// TestPlan says who answers groups.
func TestPlan(t *testing.T) {
	for _, c := range []struct {
		name  string
		gpu   float64 // queries/s
		each  time.Duration
		hosts float64
		isGPU bool
		cores int64
	}{
		{"the rate of the GPU is not known", 0, 10 * time.Microsecond, 0, true, 15},
		{"it is much faster", 5e6, 100 * time.Microsecond, 0, true, 0},
		{"cores add a tenth", 5e6, 10 * time.Microsecond, 0, true, 12},
		{"they serve it", 5e6, 10 * time.Microsecond, 5, true, 0},
		{"they are faster, and serve it", 1e6, 10 * time.Microsecond, 5, false, 16},
		{"it adds little", 0.1e6, 10 * time.Microsecond, 0, false, 16},
		{"it adds an eighth", 0.8e6, 10 * time.Microsecond, 2, false, 16},
		{"it adds much", 1.2e6, 10 * time.Microsecond, 2, true, 10},
	} {
		x := loaded(t, c.gpu)
		now := time.Second
		x.load.hosts = c.hosts
		x.groups.tried.Store(int64(now))
		x.load.each.Store(int64(c.each))
		x.plan(now)
		if gpu, cores := x.groups.gpu.Load(), x.groups.cores.Load(); gpu != c.isGPU || cores != c.cores {
			t.Errorf("%s: GPU %v, %d cores; want %v, %d", c.name, gpu, cores, c.isGPU, c.cores)
		}
		if !c.isGPU {
			x.plan(now + time.Millisecond)
			if x.groups.gpu.Load() {
				t.Errorf("%s: the GPU is tried at once", c.name)
			}
			x.plan(now + time.Minute)
			if !x.groups.gpu.Load() {
				t.Errorf("%s: the GPU is never tried again", c.name)
			}
		}
		if c.isGPU && c.cores == 0 {
			x.plan(now + time.Minute)
			if x.groups.cores.Load() != 1 {
				t.Errorf("%s: no core is tried again", c.name)
			}
		}
	}
}

// TestRetireWhileDeciding gives the GPU up while the load is decided on: the cores answer afterwards, all of them.
func TestRetireWhileDeciding(t *testing.T) {
	x := loaded(t, 1e9)
	l := &x.load
	for round := range 20000 {
		x.mu.Lock()
		x.why = nil
		x.mu.Unlock()
		l.mu.Lock()
		l.begun = 0
		l.mu.Unlock()
		x.gone.Store(false)
		x.stolen[1].Add(1)
		var both sync.WaitGroup
		both.Go(func() { x.observe(true, time.Hour) })
		both.Go(func() { x.fault(ErrHung) })
		both.Wait()
		if l.crowded.Load() || l.helps.Load() || x.load.rested != 0 {
			t.Fatalf("round %d: crowded %v, helps %v, %d workers rest, without a GPU", round, l.crowded.Load(), l.helps.Load(), l.rested)
		}
	}
}
