package idxbench

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
)

// noDevice stands for the GPU of an executor that uses none, so that the scheduler predicts
// costs all the same.
type noDevice struct{ query.Executor }

var errNoDevice = errors.New("the scheduler used a GPU that is not there")

// Execute fails.
func (noDevice) Execute(context.Context, []query.Query) ([]query.Result, error) {
	return nil, errNoDevice
}

// idles are how long cores are idle before queries that measure how they wake: while they
// spin, and when they sleep.
var idles = []time.Duration{1, 20 * time.Microsecond, 50 * time.Microsecond, 100 * time.Microsecond, 200 * time.Microsecond, time.Millisecond, 3 * time.Millisecond}

const (
	wakeRounds  = 5 // the medians of these count
	wakeSamples = 60
	leastWakes  = 10 // samples of a round that takes longer than wakeTime
	wakeTime    = 100 * time.Millisecond
	wakeQuants  = 40
)

// wakes measures what queries wait that arrive while all cores are idle, and what the
// queues cost those that arrive while none is.
func (c *calibrator) wakes(ctx context.Context, m *hybrid.Model) error {
	cpus := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(cpus)
	runtime.GOMAXPROCS(max(cpus, c.flags.workers+1))
	p, err := pool.New(c.searcher, pool.Options{Workers: c.flags.workers, SpinFor: c.flags.spin})
	if err != nil {
		return err
	}
	defer p.Close()
	x, err := hybrid.New(p, noDevice{}, hybrid.Options{Mode: hybrid.OnlyCPU})
	if err != nil {
		return err
	}
	defer x.Close()
	clock := newClock()
	defer clock.stop()
	some := slices.Clone(c.train) // of all modes
	rand.New(rand.NewPCG(c.flags.seed, 29)).Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	m.Wakes = nil
	at := 0
	for _, idle := range idles {
		var rounds []hybrid.Wake
		for range wakeRounds {
			var costs, waits []float64
			begin := clock.now()
			for n := range wakeSamples {
				if n >= leastWakes && clock.now()-begin > wakeTime {
					break
				}
				r := &some[at%len(some)]
				at++
				took, err := askAwake(ctx, x, &r.query, clock, clock.now()+idle)
				if err != nil {
					return err
				}
				costs, waits = append(costs, float64(r.record.Cost.CPU)), append(waits, float64(max(took-r.record.Cost.CPU, 0)))
			}
			rounds = append(rounds, wakeOf(idle, costs, waits))
		}
		m.Wakes = append(m.Wakes, medianWake(rounds))
	}
	var queries []query.Query
	var own time.Duration
	for i := range some {
		queries, own = append(queries, some[i].query), own+some[i].record.Cost.CPU
	}
	var row LoadRow
	if err := saturate(ctx, &hybridTarget{Executor: x, pool: p, most: backlog}, queries, saturatedTime, &row); err != nil {
		return err
	}
	each := float64(c.flags.workers) / max(row.Throughput, 1) * float64(time.Second)
	m.Queued = time.Duration(max(each-m.Crowd*float64(own)/float64(len(some)), 0))
	return nil
}

// saturatedTime is how long queries always wait.
const saturatedTime = 300 * time.Millisecond

// askAwake asks a query when it is due, and waits for the answer without sleeping. It
// returns when that came, from then on.
func askAwake(ctx context.Context, x *hybrid.Executor, q *query.Query, c *clock, due time.Duration) (time.Duration, error) {
	var took atomic.Int64
	c.wait(due)
	err := x.Submit(ctx, q, func([]query.Hit, error) { took.Store(int64(max(c.now()-due, 1))) })
	for err == nil && took.Load() == 0 {
		if c.now()-due > 10*time.Millisecond {
			runtime.Gosched()
		}
	}
	return time.Duration(took.Load()), err
}

// wakeOf describes what queries waited that take these times. The waits of the longer half
// and of the shorter half, by their medians, say what a longer one waits more.
func wakeOf(idle time.Duration, costs, waits []float64) hybrid.Wake {
	order := make([]int, len(costs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(costs[a], costs[b]) })
	median := func(of []float64, at []int) float64 {
		var v []float64
		for _, i := range at {
			v = append(v, of[i])
		}
		slices.Sort(v)
		return v[len(v)/2]
	}
	short, long := order[:len(order)/2], order[len(order)/2:]
	w := hybrid.Wake{Idle: idle}
	if more := median(costs, long) - median(costs, short); more > 0 {
		w.Slower = max((median(waits, long)-median(waits, short))/more, 0)
	}
	var delays times
	for i := range waits {
		delays = append(delays, time.Duration(max(waits[i]-w.Slower*costs[i], 0)))
	}
	delays.sort()
	for i := range wakeQuants {
		w.Delays = append(w.Delays, delays.at((float64(i)+0.5)/wakeQuants))
	}
	return w
}

// medianWake returns the medians of rounds.
func medianWake(rounds []hybrid.Wake) hybrid.Wake {
	w := hybrid.Wake{Idle: rounds[0].Idle, Delays: make([]time.Duration, wakeQuants)}
	var slower []float64
	for _, r := range rounds {
		slower = append(slower, r.Slower)
	}
	slices.Sort(slower)
	w.Slower = slower[len(slower)/2]
	for i := range w.Delays {
		var all times
		for _, r := range rounds {
			all = append(all, r.Delays[i])
		}
		all.sort()
		w.Delays[i] = all[len(all)/2]
	}
	return w
}
