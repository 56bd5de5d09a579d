package hybrid

import (
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

// simulated are cores and a GPU that answer so many queries a second, of what arrives at an Executor.
type simulated struct {
	load       load
	cores, gpu float64
	waiting    float64
	answered   [2]float64
	now        time.Duration
}

// offer lets queries arrive at a rate for a window. The processor that is to answers.
func (s *simulated) offer(rate float64, took time.Duration) {
	l := &s.load
	by, capacity := 0, s.cores
	if l.crowded.Load() {
		by, capacity = 1, s.gpu
	}
	s.waiting += rate * took.Seconds()
	n := min(s.waiting, capacity*took.Seconds())
	s.waiting -= n
	s.answered[by] += n
	s.now += took
	l.decide(rate*took.Seconds(), int64(s.answered[by]), s.waiting >= 1, took, s.now)
}

// offerFor is offer for longer. It returns how long the GPU was to answer.
func (s *simulated) offerFor(rate float64, d time.Duration) (gpu time.Duration) {
	for end := s.now + d; s.now < end; {
		if s.offer(rate, window); s.load.crowded.Load() {
			gpu += window
		}
	}
	return gpu
}

// While a host stops for 10 ms nothing arrives; then all comes at once. At half of what the cores can answer they answer nevertheless.
func TestStops(t *testing.T) {
	const stop = 10 * time.Millisecond
	s := &simulated{cores: 1.6e6, gpu: 20e6, now: time.Second}
	for range 20 {
		s.offerFor(0.8e6, 100*window)
		s.offer(0, stop)
		s.offer(0.8e6*float64(stop+window)/float64(window), window)
		if s.offerFor(0.8e6, longestWait) > 0 {
			t.Fatal("after a stop the GPU answers")
		}
	}
}

// The GPU answers soon when more arrive than the cores can answer, as long as that is so, and the cores when half of that arrives.
func TestSwitch(t *testing.T) {
	for _, rate := range []float64{1.7e6, 3.2e6, 8e6} {
		s := &simulated{cores: 1.6e6, gpu: 20e6, now: time.Second}
		for s.offer(rate, window); !s.load.crowded.Load() && s.now < 2*time.Second; {
			s.offer(rate, window)
		}
		if took := s.now - time.Second; took > longestWait+2*window {
			t.Errorf("%.0f a second: the GPU answers after %v", rate, took)
		}
		if gpu := s.offerFor(rate, 3*retry); gpu != 3*retry {
			t.Errorf("%.0f a second: the GPU answers for %v of %v", rate, gpu, 3*retry)
		}
		if s.offerFor(1e6, time.Second) != time.Second {
			t.Errorf("%.0f a second, then 1 million: the cores answer", rate)
		}
		s.offerFor(0.4e6, 4*rateTime)
		if s.offerFor(0.4e6, time.Second) > 0 {
			t.Errorf("%.0f a second, then few: the GPU answers", rate)
		}
	}
}

// A GPU that is slower than the cores is tried from time to time, whether arrivals wait for answers or not.
func TestSlowGPU(t *testing.T) {
	s := &simulated{cores: 1.6e6, gpu: 1.2e6, now: time.Second}
	if gpu := s.offerFor(3e6, 10*retry); gpu > 12*trialTime || gpu < 5*trialTime {
		t.Errorf("a GPU that is slower answers for %v of %v", gpu, 10*retry)
	}
	s = &simulated{cores: 1.6e6, gpu: 0.2e6, now: time.Second}
	gpu := time.Duration(0)
	for range 20 * time.Second / window { // callers that ask again when they are answered
		rate := s.cores
		if s.load.crowded.Load() {
			rate, gpu = s.gpu, gpu+window
		}
		s.waiting = max(s.waiting, 100)
		s.offer(rate, window)
	}
	if gpu > 3*time.Second {
		t.Errorf("a GPU that is much slower answers for %v of 20 s", gpu)
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
		l.begun, l.since, l.until = 0, time.Minute, 0
		l.mu.Unlock()
		x.either.n.Store(1)
		x.gone.Store(false)
		var both sync.WaitGroup
		both.Go(func() { x.observe(true, time.Hour) })
		both.Go(func() { x.fault(ErrHung) })
		both.Wait()
		x.either.n.Store(0)
		if l.crowded.Load() || x.load.rested != 0 {
			t.Fatalf("round %d: crowded %v, %d workers rest, without a GPU", round, l.crowded.Load(), l.rested)
		}
	}
}
