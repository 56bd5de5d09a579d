package hybrid

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// features are what the time of a query is predicted from (Ding 2009, section 9): a constant, the lengths of the
// shortest list, of the second and of all, the number of terms, and k.
type features struct {
	x    [6]float64
	mode query.Mode
}

// featuresOf returns the features of a query whose terms have lists that long, combined by a mode.
func featuresOf(q *search.Query, mode query.Mode, lengths []uint64) features {
	first, second, sum := uint64(math.MaxUint64), uint64(math.MaxUint64), uint64(0)
	for _, n := range lengths {
		sum += n
		if n < first {
			n, first = first, n
		}
		second = min(second, n)
	}
	if len(lengths) < 2 {
		second = 0
	}
	if len(lengths) < 1 {
		first = 0
	}
	return features{mode: mode, x: [6]float64{1, log2(first) / 16, log2(second) / 16, log2(sum) / 16, float64(min(len(lengths), 32)) / 8, log2(uint64(max(q.K, 0))) / 8}}
}

func log2(n uint64) float64 { return math.Log2(float64(n) + 1) }

// cost predicts how long a core and the GPU take for a query, and learns that from those answered. All times are in
// nanoseconds; arrays are by query.Mode.
type cost struct {
	mu     sync.Mutex
	weight [3][6]float64 // of features, for log2 of a core's time

	each    [3]atomic.Int64 // a core's average
	latency [3]atomic.Int64 // the GPU's average, from Submit to the answer
	seen    [3]atomic.Int64 // when that was measured
	small   atomic.Int64    // the GPU's average for a small batch
}

// What costs are before any is measured.
const (
	builtInEach    = 20 * time.Microsecond
	builtInLatency = 300 * time.Microsecond
)

var builtInWeights = [3][6]float64{query.ModeAnd: {8, 4, 2, 2, 0.5, 0.5}, query.ModeOr: {9, 1, 2, 5, 2, 1}, query.ModeAndOr: {9, 1, 2, 5, 2, 1}}

const (
	stale      = 50 * time.Millisecond // latencies depend on what waited then
	smallBatch = 32

	learningRate = 0.03
	greatestStep = 3 // log2 of measured over predicted time
)

func newCost() *cost {
	c := &cost{weight: builtInWeights}
	for m := range c.each {
		c.each[m].Store(int64(builtInEach))
		c.latency[m].Store(int64(builtInLatency))
	}
	c.small.Store(int64(builtInLatency))
	return c
}

// core predicts the time of a core.
func (c *cost) core(f *features) time.Duration {
	c.mu.Lock()
	sum := c.log(f)
	c.mu.Unlock()
	return time.Duration(math.Exp2(min(max(sum, 7), 40)))
}

// log predicts log2 of the time of a core. c.mu must be held.
func (c *cost) log(f *features) (sum float64) {
	for i, x := range f.x {
		sum += c.weight[f.mode][i] * x
	}
	return sum
}

// learn corrects predictions for cores by a query that one has answered (normalized least mean squares).
func (c *cost) learn(f *features, took time.Duration) {
	if !c.mu.TryLock() {
		return // another will do
	}
	defer c.mu.Unlock()
	e := &c.each[f.mode]
	old := e.Load()
	e.Store(old + min(int64(took)-old, 3*old)/64) // the core may have been taken away for long
	norm := 0.0
	for _, x := range f.x {
		norm += x * x
	}
	wrong := min(max(math.Log2(float64(max(took, 1)))-c.log(f), -greatestStep), greatestStep)
	for i, x := range f.x {
		c.weight[f.mode][i] += learningRate * wrong * x / norm
	}
}

// gpu predicts when the GPU has answered a query that comes now.
func (c *cost) gpu(m query.Mode, now time.Duration) time.Duration {
	recent := time.Duration(c.latency[m].Load())
	if now-time.Duration(c.seen[m].Load()) > stale {
		return min(recent, time.Duration(c.small.Load()))
	}
	return recent
}

// often reports whether queries of a mode often take a core as long as the GPU.
func (c *cost) often(m query.Mode) bool { return 6*c.each[m].Load() > c.latency[m].Load() }

// learnGPU learns from a batch that the GPU has answered.
func (c *cost) learnGPU(batch []*job, took, now time.Duration) {
	var sum, n [3]int64
	for _, j := range batch {
		sum[j.q.Mode] += int64(now - j.at)
		n[j.q.Mode]++
	}
	for m := range sum {
		if n[m] > 0 {
			l := &c.latency[m]
			l.Store(l.Load() + (sum[m]/n[m]-l.Load())/8)
			c.seen[m].Store(int64(now))
		}
	}
	if len(batch) <= smallBatch {
		c.small.Store(c.small.Load() + (int64(took)-c.small.Load())/16)
	}
}

// meter measures how many queries a second the GPU answers while it has enough of them.
type meter struct {
	mu      sync.Mutex
	serving int           // batches on the GPU
	since   time.Duration // when one ended or the first began
	batches int           // measured since reset
	n, took float64       // queries and seconds, moving averages over the batches
}

// telling is how many batches tell the rate.
const telling = 4

func (m *meter) begin(now time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.serving++; m.serving == 1 {
		m.since = now
	}
}

// end records that a batch has ended: of n queries if the GPU could have got more, else 0.
func (m *meter) end(n int, now time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.serving--
	if n > 0 {
		m.batches++
		share := max(1/float64(m.batches), 1./16)
		m.n += share * (float64(n) - m.n)
		m.took += share * ((now - m.since).Seconds() - m.took)
	}
	m.since = now
}

// rate returns queries a second, and false if that is not known. took is the time of a batch.
func (m *meter) rate() (rate float64, took time.Duration, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n / max(m.took, 1e-9), time.Duration(m.took * 1e9), m.batches >= telling
}

func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.batches = 0
}
