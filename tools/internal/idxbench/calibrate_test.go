package idxbench

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/query"
)

// TestFit fits polynomials to times that follow one, with errors of up to a factor of 1.2
// and one query in twenty that takes ten times as long. Other queries are predicted within
// the errors.
func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	draw := func() (x []float64, took float64) {
		n := 1 + rng.IntN(8)
		f := hybrid.Features{Terms: n, K: 10, Mode: query.Or, Essential: 1 + rng.IntN(n), Decode: 0.3}
		f.Postings = [2]float64{math.Exp2(18 * rng.Float64()), 0}
		f.Postings[1] = f.Postings[0] * rng.Float64()
		f.Passing = f.Postings[1] / 128 * rng.Float64()
		f.Sum = uint64(2 * f.Postings[0])
		var all [hybrid.Basis]float64
		return f.Expand(&all), 1000 * float64(n) * math.Pow(f.Postings[0], 0.4) * math.Pow(f.Passing+1, 0.2)
	}
	var xs [][]float64
	var times []time.Duration
	for range 1000 {
		x, took := draw()
		if rng.IntN(20) == 0 {
			took *= 10
		}
		xs, times = append(xs, x), append(times, time.Duration(took*math.Exp2((2*rng.Float64()-1)*math.Log2(1.2))))
	}
	c, err := fit(xs, times)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for range 1000 {
		x, took := draw()
		log := 0.0
		for k := range x {
			log += c[k] * x[k]
		}
		sum += math.Abs(math.Exp2(log)/took - 1)
	}
	if sum/1000 > 0.08 {
		t.Errorf("a mean error of %.1f %%", sum/10)
	}
	// Variables that are the same for all queries have no part in it.
	if k := hybrid.AndBasis - 21 - 1; c[k] != 0 || c[k-1] != 0 {
		t.Errorf("coefficients %v and %v of what is the same for all", c[k-1], c[k])
	}
}

// TestSplit divides queries: no text is in both halves, whatever the order of its words,
// and all texts are in one.
func TestSplit(t *testing.T) {
	text := func(words ...string) (terms [][]byte) {
		for _, w := range words {
			terms = append(terms, []byte(w))
		}
		return terms
	}
	log := [][][]byte{text("a", "b"), text("b", "a"), text("a"), text(), text("c"), text("a", "b", "b"), text("c"), text("d"), text("e")}
	train, test := split(log, 100, 3)
	if len(train) != 3 || len(test) != 3 {
		t.Errorf("%d and %d texts of 6", len(train), len(test))
	}
	if train, test = split(log, 4, 3); len(train) != 2 || len(test) != 2 {
		t.Errorf("%d and %d texts of 4", len(train), len(test))
	}
}

// TestFitFew fits a mode of few queries to Ding's features alone, and keeps the built-in model for
// one of fewer.
func TestFitFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	builtIn := hybrid.DefaultModel().Modes
	for n, want := range map[int]int{1: 0, 4*hybrid.DingBasis - 1: 0, 4 * hybrid.DingBasis: hybrid.DingBasis,
		4*hybrid.AndBasis - 1: hybrid.DingBasis, 4 * hybrid.AndBasis: hybrid.AndBasis} {
		c := calibrator{flags: &calibrateFlags{modes: []string{"and"}}, alone: 1, crowded: 1}
		for range n {
			r := recorded{mode: "and", features: hybrid.Features{Terms: 2, K: 10, Mode: query.And, Shortest: 1 + rng.Uint64N(1000), Second: 2000 + rng.Uint64N(5000)}}
			r.record.Cost.CPU = time.Duration(1000 + rng.IntN(5000))
			c.train = append(c.train, r)
		}
		m := *hybrid.DefaultModel()
		m.Version, m.Modes = hybrid.ModelVersion, maps.Clone(builtIn)
		if err := c.fit(&m); err != nil {
			t.Fatal(err)
		}
		switch p := m.Modes["and"]; {
		case want == 0 && p != builtIn["and"]:
			t.Errorf("%d queries: fitted to %d coefficients", n, len(p.CPU))
		case want > 0 && (p == builtIn["and"] || len(p.CPU) != want):
			t.Errorf("%d queries: %d coefficients, want %d", n, len(p.CPU), want)
		}
	}
}

// TestFitSteps finds from which work on queries are the GPU's, and keeps the default where that saves nothing or
// nothing is known.
func TestFitSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	// A core takes 20 ns for each docID of up to 1,000,000, more or less by a tenth; the GPU 40 us.
	draw := func(n int, longest float64) (out []stepSample) {
		for range n {
			work := math.Exp2(rng.Float64() * math.Log2(longest))
			out = append(out, stepSample{work: int64(work), cpu: time.Duration(20 * work * (0.9 + 0.2*rng.Float64())), gpu: 40 * time.Microsecond})
		}
		return out
	}
	for _, c := range []struct {
		name        string
		train, test []stepSample
		least, most int64
	}{
		{"slow cores", draw(500, 1e6), draw(500, 1e6), 1700, 2400},
		{"short queries", draw(500, 1000), draw(500, 1000), int64(gpuload.DefaultStepWork), int64(gpuload.DefaultStepWork)},
		{"no queries", nil, nil, int64(gpuload.DefaultStepWork), int64(gpuload.DefaultStepWork)},
		{"few to test", draw(500, 1e6), draw(leastSamples-1, 1e6), int64(gpuload.DefaultStepWork), int64(gpuload.DefaultStepWork)},
		{"test queries are others", draw(500, 1e6), draw(500, 1000), int64(gpuload.DefaultStepWork), int64(gpuload.DefaultStepWork)},
	} {
		r := fitSteps(c.train, c.test)
		if r.Fitted < c.least || r.Fitted > c.most {
			t.Errorf("%s: %d, want %d to %d", c.name, r.Fitted, c.least, c.most)
		}
		if r.WithFitted > r.WithDefault || r.WithFitted > r.CPU && r.WithFitted > r.GPU {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	// Beyond what was seen the default stays.
	fast, slow := []stepSample{{work: 10_000, cpu: 1, gpu: 2}}, []stepSample{{work: 10_000, cpu: 2, gpu: 1}, {work: 1000, cpu: 2, gpu: 1}}
	for want, samples := range map[int64][]stepSample{10_001: fast, 1000: slow, 3072: {{work: 20, cpu: 1, gpu: 2}}} {
		if got := leastThreshold(samples, int64(gpuload.DefaultStepWork)); got != want {
			t.Errorf("%v: %d, want %d", samples, got, want)
		}
	}
	var m hybrid.Model
	c := calibrator{step: &StepFit{Default: gpuload.DefaultStepWork, Fitted: gpuload.DefaultStepWork}}
	if c.setSteps(&m); m.Steps != (gpuload.StepRule{}) {
		t.Errorf("%+v", m.Steps)
	}
	c.step.Fitted = 2000
	if c.setSteps(&m); m.Steps != (gpuload.StepRule{Work: 2000}) {
		t.Errorf("%+v", m.Steps)
	}
}

// TestFitBatches finds what batches take, from batches that take just that.
func TestFitBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	var c calibrator
	for n := 2; n <= 4096; n *= 2 {
		for range 8 {
			s := batchSample{mode: query.Or}
			for range n {
				s.load.Add(s.mode, hybrid.Cost{GPU: time.Duration(1000 * math.Exp2(2*rng.Float64())), Alone: time.Duration(1e5 * (1 + rng.Float64()))})
			}
			of := &s.load[s.mode]
			s.took = of.Longest.Alone + time.Duration(300*math.Sqrt(float64(of.Work-of.Longest.GPU)))
			c.lone = append(c.lone, s)
		}
	}
	b := c.fitBatches("or")
	for _, m := range b.More {
		if want := 300 * math.Sqrt(float64(m.Work)); math.Abs(float64(m.Time)/want-1) > 0.1 {
			t.Errorf("%v for %v of work, want %v", m.Time, m.Work, time.Duration(want))
		}
	}
	if n := len(b.More); n != 12 {
		t.Errorf("%d times of 12 sizes", n)
	}
	if b := c.fitBatches("and"); b.More != nil {
		t.Errorf("of nothing: %v", b.More)
	}
}

// TestMedianWake takes the medians of three rounds, one of which was disturbed.
func TestMedianWake(t *testing.T) {
	var rounds []hybrid.Wake
	for i, slower := range []float64{0.4, 7, 0.5} {
		var delays times
		for k := range 100 {
			delays = append(delays, time.Duration(1000+10*(99-k)+5000*(i%2)))
		}
		rounds = append(rounds, quantiles(hybrid.Wake{Idle: time.Millisecond, Slower: hybrid.ByMode{slower, 1}, Cold: hybrid.ByMode{float64(1000 * (i + 1))}}, delays))
	}
	w := medianWake(rounds)
	if w.Slower != (hybrid.ByMode{0.5, 1}) || w.Cold != (hybrid.ByMode{2000}) || w.Idle != time.Millisecond {
		t.Errorf("after %v slower by %v", w.Idle, w.Slower)
	}
	if n := len(w.Delays); n != wakeQuants || !slices.IsSorted(w.Delays) || w.Delays[0] != 1010 || w.Delays[n-1] != 1980 {
		t.Errorf("waits %v", w.Delays)
	}
}

// TestSlowerOf tells what all queries take more from what long ones do, beside waits, with one in a
// hundred that is stopped.
func TestSlowerOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	var some []wakeSample
	for i := range 1000 {
		cost, wait := time.Duration(1000+100000*rng.Float64()), time.Duration(2000+2000*rng.Float64())
		took := wait + 4000 + cost*3/2
		if i%100 == 0 {
			took += time.Millisecond
		}
		some = append(some, wakeSample{took: took, cost: cost}, wakeSample{took: wait})
	}
	cold, slower, delays := slowerOf(some)
	if math.Abs(slower-0.5) > 0.01 || math.Abs(cold-4000) > 300 || len(delays) != 1000 || delays.mean() < 2900 || delays.mean() > 3100 {
		t.Errorf("slower by %v and %v ns, %d waits of %v", slower, cold, len(delays), delays.mean())
	}
	if cold, slower, delays := slowerOf(some[:1]); cold != 0 || slower != 0 || delays != nil {
		t.Errorf("of one query: %v, %v, %v", cold, slower, delays)
	}
}

// TestRecordsOf lets the modes of mixed records take turns.
func TestRecordsOf(t *testing.T) {
	var all []recorded
	for i, mode := range []string{"and", "and", "and", "or", "or"} {
		all = append(all, recorded{mode: mode, record: hybrid.Record{Cost: hybrid.Cost{CPU: time.Duration(i)}}})
	}
	for mode, want := range map[string][]time.Duration{mixed: {0, 3, 1, 4, 2}, "or": {3, 4}, "and-or": nil} {
		var got []time.Duration
		for _, r := range recordsOf(all, mode) {
			got = append(got, r.Cost.CPU)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", mode, got, want)
		}
	}
}
