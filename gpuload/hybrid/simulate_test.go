package hybrid

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/query"
)

const micro = time.Microsecond

// simulate returns what queries take that arrive at the given times, all with one cost.
func simulate(t *testing.T, m Model, mode Mode, c Cost, workers int, at ...time.Duration) []time.Duration {
	t.Helper()
	m.Version, m.Modes = ModelVersion, DefaultModel().Modes
	if err := m.Prepare(); err != nil {
		t.Fatal(err)
	}
	out, err := Simulate([]Record{{Cost: c}}, Simulation{Options: Options{Model: &m, Mode: mode}, Workers: workers, Arrivals: at})
	if err != nil {
		t.Fatal(err)
	}
	return out.Took
}

// TestSimulatedCPU follows three queries of 30 us on one core: one wakes it, one waits for
// that, one comes later.
func TestSimulatedCPU(t *testing.T) {
	cost := Cost{CPU: 30 * micro, GPU: time.Second}
	at := []time.Duration{10 * micro, 20 * micro, 500 * micro}
	wakes := []Wake{{Idle: 5 * micro, Slower: ByMode{0.1}, Delays: []time.Duration{4 * micro}}, {Idle: 105 * micro, Slower: ByMode{0.3}, Delays: []time.Duration{24 * micro, 24 * micro}}}
	for name, c := range map[string]struct {
		m    Model
		at   []time.Duration
		want []time.Duration
	}{
		"nothing but costs": {Model{}, at, []time.Duration{30 * micro, 50 * micro, 30 * micro}},
		"queues":            {Model{Queued: 5 * micro}, at, []time.Duration{35 * micro, 60 * micro, 35 * micro}},
		// Between 5 and 105 us of idling, what a query takes more rises from 7 to 33 us; after 10 us
		// it is 8.3. The second query finds the core busy.
		"wakes":         {Model{Queued: 5 * micro, Wakes: wakes}, at, []time.Duration{38300, 63300, 63 * micro}},
		"sleep":         {Model{Queued: 5 * micro, Wakes: wakes}, []time.Duration{200 * micro}, []time.Duration{63 * micro}},
		"cold":          {Model{Wakes: []Wake{{Idle: 1, Cold: ByMode{2000}, Delays: []time.Duration{1}}}}, []time.Duration{200 * micro}, []time.Duration{32001}},
		"without a GPU": {Model{Wakes: wakes, Spared: wakes[:1]}, []time.Duration{200 * micro}, []time.Duration{63 * micro}},
	} {
		if got := simulate(t, c.m, OnlyCPU, cost, 1, c.at...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	// While a GPU is used, or has just been opened, cores wake otherwise.
	if got := simulate(t, Model{Wakes: wakes, Spared: wakes[:1]}, Parallel, cost, 1, 200*micro, time.Second); !slices.Equal(got, []time.Duration{37 * micro, 63 * micro}) {
		t.Errorf("beside a GPU: %v", got)
	}
	// While one core works, the machine does not sleep: another that was idle for long wakes sooner,
	// and takes what one of busy cores takes.
	deep := Model{Wakes: append(slices.Clone(wakes), Wake{Idle: 200 * micro, Delays: []time.Duration{30 * micro}, Slower: ByMode{0.5}}, Wake{Idle: 300 * micro, Delays: []time.Duration{230 * micro}})}
	if got := simulate(t, deep, OnlyCPU, cost, 2, 400*micro, 410*micro); !slices.Equal(got, []time.Duration{260 * micro, 54947}) {
		t.Errorf("deep sleep: %v", got)
	}
	// A batch waits for a lane that has not answered one for 405 us; the next one begins 1 us after it is
	// asked, when that lane has answered, and waits for less.
	lanes := Model{Batch: 40 * micro, Lanes: []Wake{{Idle: 1, Delays: []time.Duration{2 * micro}}, {Idle: 400 * micro, Delays: []time.Duration{20 * micro}}}}
	if got := simulate(t, lanes, OnlyGPU, Cost{CPU: time.Second, GPU: micro, Host: 4 * micro, Alone: 40 * micro}, 2, 405*micro, 465*micro); !slices.Equal(got, []time.Duration{61 * micro, 44 * micro}) {
		t.Errorf("lanes: %v", got)
	}
	// On two cores nobody waits, but both are slower.
	if got := simulate(t, Model{Crowd: 1.5}, OnlyCPU, cost, 2, at...); !slices.Equal(got, []time.Duration{30 * micro, 45 * micro, 30 * micro}) {
		t.Errorf("two cores: %v", got)
	}
}

// TestSimulatedTaker asks two queries at once, then two alone, again and again, on two cores. Both look
// for work, so that either may take one that is alone. The one that has taken none for 120 us sleeps.
func TestSimulatedTaker(t *testing.T) {
	m := Model{Wakes: []Wake{{Idle: 1, Delays: []time.Duration{0}}, {Idle: 99 * micro, Delays: []time.Duration{0}}, {Idle: 100 * micro, Delays: []time.Duration{20 * micro}}}}
	var at []time.Duration
	for i := range time.Duration(100) {
		at = append(at, i*120*micro, i*120*micro, i*120*micro+40*micro, i*120*micro+80*micro)
	}
	took := simulate(t, m, OnlyCPU, Cost{CPU: micro, GPU: time.Second}, 2, at...)
	woke := 0
	for i := 4; i < len(took); i += 4 {
		if max(took[i], took[i+1]) == 21*micro {
			woke++
		}
	}
	if woke < 10 || woke > 60 { // 99 if the last one to become idle took all
		t.Errorf("%d of 99 times one of two was asleep", woke)
	}
}

// TestSimulatedGPU follows queries on the GPU. A batch alone takes what Model.Alone says, of
// which the host's share is a part. Batches together take the device's time at least.
func TestSimulatedGPU(t *testing.T) {
	cost := Cost{CPU: time.Second, GPU: 10 * micro, Host: 4 * micro, Alone: 80 * micro}
	ding := make([]float64, DingBasis)
	m := Model{Batches: map[string]*BatchTimes{"and": {Alone: ding, More: []MoreTime{{10 * micro, 3 * micro}}}}}
	if got := simulate(t, m, OnlyGPU, cost, 4, 0); !slices.Equal(got, []time.Duration{80 * micro}) {
		t.Errorf("alone: %v", got)
	}
	// Without times of batches the longest query counts, or the fixed time and the work.
	for fixed, want := range map[time.Duration]time.Duration{50 * micro: 80 * micro, 90 * micro: 100 * micro} {
		if got := simulate(t, Model{Batch: fixed}, OnlyGPU, cost, 4, 0); !slices.Equal(got, []time.Duration{want}) {
			t.Errorf("batches of %v: %v", fixed, got)
		}
	}
	// A query every 8 us is more than a device does that takes 10 us for each.
	var at []time.Duration
	for i := range 20000 {
		at = append(at, time.Duration(i)*8*micro)
	}
	took := simulate(t, m, OnlyGPU, cost, 16, at...)
	last := time.Duration(0)
	for i := range at {
		last = max(last, at[i]+took[i])
	}
	if busy := 20000 * cost.GPU; last < busy || last > busy+busy/50 {
		t.Errorf("20,000 queries of 10 us took the device %v", last)
	}
}

// TestSimulatedHost asks the GPU while a query keeps the only core busy: only what the host does for
// the GPU waits for that core.
func TestSimulatedHost(t *testing.T) {
	for host, want := range map[time.Duration]time.Duration{0: 10 * micro, 4 * micro: 1004 * micro} {
		records := []Record{{Cost: Cost{CPU: time.Millisecond}, Pinned: true}, {Cost: Cost{CPU: time.Second, GPU: 10 * micro, Host: host}}}
		out, err := Simulate(records, Simulation{Options: Options{Model: &Model{}}, Workers: 1, Arrivals: []time.Duration{0, 10 * micro}})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Took[1]; got != want {
			t.Errorf("with %v of the host a query on the GPU takes %v, want %v", host, got, want)
		}
	}
}

// TestSimulatedFewCores asks nearly as much as a fast GPU answers alone, in small batches, one at a
// time. The few cores, which serve it, must not make it wait for what they answer themselves.
func TestSimulatedFewCores(t *testing.T) {
	var records []Record
	for _, cpu := range []time.Duration{100 * micro, 300 * micro, 1500 * micro, 200 * micro, 400 * micro} {
		records = append(records, Record{Cost: Cost{CPU: cpu, GPU: cpu / 10, Host: cpu / 200, Alone: cpu/10 + 20*micro}})
	}
	for _, workers := range []int{1, 2, 4, 8, 16} {
		for _, batch := range []int{1, 4} {
			var means [4]time.Duration
			for _, mode := range []Mode{OnlyGPU, Parallel} {
				out, err := Simulate(records, Simulation{Workers: workers, Rate: 12000, Queries: 3000, Seed: 9,
					Options: Options{Model: &Model{Batch: 20 * micro, Launch: 5 * micro}, Mode: mode, Deadline: 20 * time.Millisecond, Batch: batch, Lanes: 1, Queue: 63}})
				if err != nil {
					t.Fatal(err)
				}
				for _, took := range out.Took {
					means[mode] += took / time.Duration(len(out.Took))
				}
			}
			if means[Parallel] > means[OnlyGPU] {
				t.Errorf("%d cores, batches of %d: queries take %v, %v on the GPU alone", workers, batch, means[Parallel], means[OnlyGPU])
			}
		}
	}
}

// TestSimulatedStall stops all cores for 5 ms in the middle of 40 short queries. What these took must
// not send later ones to the GPU, which takes ten times as long, once the cores have time again.
func TestSimulatedStall(t *testing.T) {
	short := Cost{CPU: 4 * micro, GPU: 60, Host: 2 * micro, Alone: 55 * micro}
	stopped := short
	stopped.CPU = 5 * time.Millisecond
	var records []Record
	var at []time.Duration
	for i := range time.Duration(30000) {
		if i < 40 {
			records, at = append(records, Record{Cost: stopped, Predicted: short}), append(at, 0)
		} else {
			records, at = append(records, Record{Cost: short}), append(at, 15*time.Millisecond+i*7*micro)
		}
	}
	m := *DefaultModel()
	m.Batch = 50 * micro
	out, err := Simulate(records, Simulation{Options: Options{Model: &m}, Workers: 16, Arrivals: at})
	if err != nil {
		t.Fatal(err)
	}
	last := slices.Clone(out.Took[15000:])
	slices.Sort(last)
	if took := last[len(last)/2]; took > 10*micro {
		t.Errorf("0.1 s later queries of 4 us take %v", took)
	}
}

// TestSimulationRepeats gets the same result again, with wakes drawn at random.
func TestSimulationRepeats(t *testing.T) {
	m := *DefaultModel()
	m.Wakes = []Wake{{Idle: 1, Delays: []time.Duration{0, 10 * micro, 100 * micro}}}
	s := Simulation{Options: Options{Model: &m}, Workers: 2, Rate: 50000, Queries: 3000, Seed: 5}
	records := []Record{{Cost: Cost{CPU: 30 * micro, GPU: 5 * micro, Host: micro}}, {Cost: Cost{CPU: 3 * micro, GPU: 4 * micro, Host: micro}}}
	var took [2][]time.Duration
	for i := range took {
		out, err := Simulate(records, s)
		if err != nil {
			t.Fatal(err)
		}
		took[i] = out.Took
	}
	if !slices.Equal(took[0], took[1]) {
		t.Error("two simulations differ")
	}
}

// TestSimulatedChoice leaves a query to the CPU that takes longer alone on the GPU, though
// neither its share of a large batch nor the fixed time says so.
func TestSimulatedChoice(t *testing.T) {
	m := Model{Batch: 50 * micro}
	for alone, want := range map[time.Duration]time.Duration{60 * micro: 60 * micro, 300 * micro: 150 * micro} {
		if got := simulate(t, m, Parallel, Cost{CPU: 150 * micro, GPU: micro, Alone: alone}, 1, 0); !slices.Equal(got, []time.Duration{want}) {
			t.Errorf("a query that takes the GPU %v alone: %v", alone, got)
		}
	}
}

// TestSimulatedCallers lets callers ask groups that go through the queues or are divided: all
// queries are answered, and those that wait are counted.
func TestSimulatedCallers(t *testing.T) {
	cost := Cost{CPU: 50 * micro, GPU: 5 * micro, Host: micro, Alone: 100 * micro}
	for _, mode := range []Mode{Parallel, Serial, OnlyCPU, OnlyGPU} {
		for _, pinned := range []bool{false, true} {
			for _, c := range []struct{ group, queue int }{{100, 0}, {30, 0}, {100, 63}} {
				out, err := Simulate([]Record{{Cost: cost, Pinned: pinned}}, Simulation{Options: Options{Mode: mode, Queue: c.queue}, Workers: 4, Callers: 2, Group: c.group, Queries: 1010})
				if err != nil {
					t.Fatal(err)
				}
				if least := slices.Min(out.Took); least <= 0 || out.Throughput <= 0 {
					t.Errorf("%v, pinned %v, groups of %d, queue %d: a query took %v, %v a second", mode, pinned, c.group, c.queue, least, out.Throughput)
				}
				queued := mode == Serial || c.queue > 0
				if s := out.Stats; queued != (s.Grouped == 0) && c.group >= leastGroup || s.Waiting.Most == 0 {
					t.Errorf("%v, pinned %v, groups of %d, queue %d: %d in groups, at most %d waited", mode, pinned, c.group, c.queue, s.Grouped, s.Waiting.Most)
				}
			}
		}
	}
}

// TestSimulatedSaturation asks a GPU that takes 10 us for each query: it answers no more than
// 100,000 a second, though batches end at once.
func TestSimulatedSaturation(t *testing.T) {
	records := []Record{{Cost: Cost{CPU: time.Millisecond, GPU: 10 * micro, Host: micro, Alone: 60 * micro}}}
	out, err := Simulate(records, Simulation{Options: Options{Mode: OnlyGPU}, Workers: 4, Callers: 4, Group: 1000, Queries: 20000})
	if err != nil {
		t.Fatal(err)
	}
	if out.Throughput < 95_000 || out.Throughput > 100_000 {
		t.Errorf("%.0f queries a second", out.Throughput)
	}
}

// TestSimulatedRates refuses what is no rate.
func TestSimulatedRates(t *testing.T) {
	for _, rate := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := Simulate([]Record{{Cost: Cost{CPU: micro}}}, Simulation{Rate: rate}); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%v a second: %v", rate, err)
		}
	}
}
