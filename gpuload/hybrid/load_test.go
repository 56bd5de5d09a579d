package hybrid

import (
	"math"
	"testing"
	"time"

	"github.com/pinion-index/pinion/query"
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

// offer lets queries arrive at a rate for a window.
func offer(x *Executor, rate float64, took, now time.Duration) {
	x.load.decide(x, rate*took.Seconds(), took, now)
}

// While a host stops for 10 ms nothing arrives; then all comes at once. At half of what the cores can answer, the GPU
// gets nothing.
func TestStops(t *testing.T) {
	const rate, stop = 0.8e6, 10 * time.Millisecond
	x := loaded(t, 3e6)
	x.load.each.Store(10_000)
	now := time.Second
	for range 20 {
		for range 50 {
			now += window
			offer(x, rate, window, now)
		}
		now += stop
		offer(x, 0, stop, now)
		now += window
		offer(x, rate*float64(stop+window)/float64(window), window, now)
		if x.load.crowded.Load() {
			t.Fatalf("after a stop the GPU answers all: %.0f a second", x.load.rate)
		}
	}
}

// Each query that arrives counts, whoever asks: the load is taken from that.
func TestArrivals(t *testing.T) {
	x := newHybrid(t, newIndex(t), nil, Options{})
	q := query.Query{RawTerms: [][]byte{[]byte("w1")}}
	answered := make(chan error)
	for name, ask := range map[string]func() error{
		"Search": func() error { _, err := x.Search(t.Context(), q); return err },
		"Submit": func() error {
			err := x.Submit(t.Context(), &q, func(_ []query.Hit, err error) { answered <- err })
			if err == nil {
				err = <-answered
			}
			return err
		},
		"Execute": func() error { _, err := x.Execute(t.Context(), []query.Query{q}); return err },
	} {
		before := x.came()
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		if n := x.came() - before; n != 1 {
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
		{"near the limit", 0, []float64{1.5e6}, true, false},
		{"near the limit, of a GPU that is faster", 3e6, []float64{1.5e6}, true, false},
		{"near the limit, of a GPU that is slower", 1.2e6, []float64{1.5e6}, false, false},
		{"near the limit, of a GPU that is much slower", 0.2e6, []float64{1.5e6}, false, true},
		{"less again", 3e6, []float64{1.5e6, 0.5e6}, false, false},
		{"not much less", 3e6, []float64{1.5e6, 0.8e6}, true, false},
		{"more than the GPU can", 3e6, []float64{5e6}, true, false},
	} {
		x := loaded(t, c.gpu)
		x.load.each.Store(each)
		now := time.Second
		for _, rate := range c.rates {
			for range 200 {
				now += window
				offer(x, rate, window, now)
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
		{"it adds much", 0.8e6, 10 * time.Microsecond, 2, true, 10},
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
