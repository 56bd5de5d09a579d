package hybrid

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// drawn returns a query and the lengths of its lists.
func drawn(rng *rand.Rand) (*search.Query, []uint64) {
	q := &search.Query{K: 1 + rng.IntN(100), Mode: query.Mode(rng.IntN(3))}
	var lengths []uint64
	for range 1 + rng.IntN(6) {
		lengths = append(lengths, uint64(1+rng.IntN(1<<rng.IntN(22))))
	}
	return q, lengths
}

// TestCostLearns lets costs learn from queries whose times follow other laws than the built-in ones.
func TestCostLearns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	c := newCost()
	took := func(f *features) time.Duration {
		w := [6]float64{10, 6, 1, 3, 1, 0.2}
		sum := 0.3 * rng.NormFloat64()
		for i, x := range f.x {
			sum += w[i] * x
		}
		return time.Duration(math.Exp2(sum))
	}
	for range 20000 {
		q, lengths := drawn(rng)
		f := featuresOf(q, q.Mode, lengths)
		c.learn(&f, took(&f))
	}
	off := 0.0
	const n = 1000
	for range n {
		q, lengths := drawn(rng)
		f := featuresOf(q, q.Mode, lengths)
		off += math.Abs(math.Log2(float64(took(&f)) / float64(c.core(&f))))
	}
	if off /= n; off > 0.6 {
		t.Errorf("predictions are off by a factor of 2^%.2f", off)
	}
	for m := range c.each {
		if each := time.Duration(c.each[m].Load()); each < time.Microsecond || each > 10*time.Millisecond {
			t.Errorf("mode %d takes %v on average", m, each)
		}
	}
}

func TestFeatures(t *testing.T) {
	for _, c := range []struct {
		docs []uint64
		want [3]float64 // shortest, second, sum
	}{{nil, [3]float64{}}, {[]uint64{7}, [3]float64{3, 0, 3}}, {[]uint64{255, 0, 15}, [3]float64{0, 4, math.Log2(271)}}, {[]uint64{3, 3}, [3]float64{2, 2, math.Log2(7)}}} {
		f := featuresOf(&search.Query{K: 3}, query.ModeOr, c.docs)
		for i, want := range c.want {
			if got := f.x[i+1] * 16; math.Abs(got-want) > 1e-9 {
				t.Errorf("%v: feature %d is %v, not %v", c.docs, i, got, want)
			}
		}
		if f.x[0] != 1 || f.x[4] != float64(len(c.docs))/8 || f.x[5] != 2.0/8 || f.mode != query.ModeOr {
			t.Errorf("%v: %+v", c.docs, f)
		}
	}
}

// TestLatency follows the GPU's latency, and forgets what is due to queries that waited then.
func TestLatency(t *testing.T) {
	c := newCost()
	now := time.Second
	for range 100 {
		now += time.Millisecond
		c.learnGPU(make50(now-10*time.Millisecond), 100*time.Microsecond, now)
	}
	if got := c.gpu(query.ModeAnd, now); got < 9*time.Millisecond || got > 11*time.Millisecond {
		t.Errorf("latency %v while it is 10 ms", got)
	}
	if got := c.gpu(query.ModeAnd, now+time.Second); got != builtInLatency {
		t.Errorf("latency %v after a pause, not %v", got, builtInLatency)
	}
	if got := c.gpu(query.ModeOr, now); got != builtInLatency {
		t.Errorf("latency %v of a mode without queries", got)
	}
}

func make50(at time.Duration) (jobs []*job) {
	for range 50 {
		jobs = append(jobs, &job{at: at, q: search.Query{Mode: query.ModeAnd}})
	}
	return jobs
}

// TestMeter measures overlapping batches, and ignores those that were not full.
func TestMeter(t *testing.T) {
	var m meter
	now := time.Second
	m.begin(now)
	for range 20 {
		m.begin(now)
		now += 10 * time.Millisecond
		m.end(1000, now)
		m.begin(now)
		m.end(0, now)
	}
	if rate, took, ok := m.rate(); !ok || math.Abs(rate-100_000) > 1 || took != 10*time.Millisecond {
		t.Errorf("%v queries/s, %v a batch, known: %v", rate, took, ok)
	}
	m.reset()
	if _, _, ok := m.rate(); ok {
		t.Error("the rate is known after reset")
	}
}
