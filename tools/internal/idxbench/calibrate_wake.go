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
	"github.com/pinion-index/pinion/internal/loadtest"
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

// laneIdles are how long the GPU rests before queries that measure how much longer they take then.
var laneIdles = []time.Duration{1, 50 * time.Microsecond, 200 * time.Microsecond, time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond}

const (
	wakeRounds  = 5 // the medians of these count
	wakeSamples = 60
	leastWakes  = 10 // samples of a round that takes longer than wakeTime
	wakeTime    = 100 * time.Millisecond
	wakeQuants  = 40
	// While a GPU rests for longer than this, cores answer queries.
	coresRest  = 200 * time.Microsecond
	streamTime = 150 * time.Millisecond // of a round of queries that arrive, unless --time is less
)

// wakes measures what queries wait that arrive while all cores are idle, while a GPU is used and
// without one, what batches of one take more, and what the queues cost queries that arrive while no
// core is idle.
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
	w := &waking{clock: loadtest.NewClock(), cpu: x, pool: p, some: slices.Clone(c.train), modes: c.flags.modes, spin: c.flags.spin, time: min(streamTime, c.flags.time)}
	if w.spin < time.Microsecond {
		w.spin = pool.DefaultSpinFor
	}
	defer w.clock.Stop()
	rand.New(rand.NewPCG(c.flags.seed, 29)).Shuffle(len(w.some), func(i, j int) { w.some[i], w.some[j] = w.some[j], w.some[i] })
	if m.Wakes, err = w.cores(ctx); err != nil {
		return err
	}
	if c.gpu != nil {
		g, err := hybrid.New(p, c.gpu.x, hybrid.Options{Mode: hybrid.OnlyGPU}) // from now on, workers leave cores to it
		if err != nil {
			return err
		}
		if m.Spared, err = w.cores(ctx); err == nil {
			m.Lanes, err = w.lanes(ctx, g)
		}
		if len(c.going) > 0 {
			m.Lanes = append([]hybrid.Wake{quantiles(hybrid.Wake{}, c.going)}, m.Lanes...)
		}
		if err = errors.Join(err, g.Close()); err != nil {
			return err
		}
	}
	var queries []query.Query
	for i := range w.some {
		queries = append(queries, w.some[i].query)
	}
	var each [2]float64 // core time, in the queues and without
	for i, t := range []target{&hybridTarget{Executor: x, pool: p, most: backlog}, cpuTarget{p}} {
		var row LoadRow
		if err := loadtest.Saturate(ctx, t, queries, t.backlog(), saturatedTime, &row.Result); err != nil {
			return err
		}
		each[i] = float64(c.flags.workers) / max(row.Throughput, 1) * float64(time.Second)
	}
	m.Queued = time.Duration(max(each[0]-each[1], 0))
	return nil
}

// waking asks queries that wake cores and lanes.
type waking struct {
	clock   *loadtest.Clock
	cpu     *hybrid.Executor
	pool    *pool.Pool // its
	some    []recorded
	modes   []string
	spin    time.Duration // of an idle worker
	time    time.Duration // of a stream
	at      int           // the last one of some that was asked alone
	streams uint64        // asked so far
}

// next returns a query of a mode, nil if there is none.
func (w *waking) next(mode string) *recorded {
	for range w.some {
		w.at++
		if r := &w.some[w.at%len(w.some)]; r.mode == mode {
			return r
		}
	}
	return nil
}

// nothing is a query that takes no time to answer: what it takes, every query waits.
var nothing = query.Query{RawTerms: [][]byte{{0}, {0, 0}}, K: 10, Mode: query.And}

// wakeSample is what a query took, and what it took on one core: 0 if it was one of nothing.
type wakeSample struct {
	gap        time.Duration // since the last answer
	took, cost time.Duration
}

// cores measures how cores wake. Queries of nothing, between others, wait like these; the rest of
// what others take, over what they took on one core, is how much slower they are. Queries arrive at
// random, so that cores take turns as in a run, more of them in short pauses, which keep caches warm;
// in long pauses they are asked one at a time.
func (w *waking) cores(ctx context.Context) (out []hybrid.Wake, err error) {
	spans := []struct {
		idle     []time.Duration // of Model.Wakes
		from, to time.Duration   // since the last answer
		each     time.Duration   // one query arrives in this time, at random; 0: one at a time
	}{
		{[]time.Duration{1, w.spin / 5}, 0, w.spin / 5, w.spin / 10},
		{[]time.Duration{w.spin / 2, w.spin * 4 / 5}, w.spin / 5, w.spin * 4 / 5, w.spin / 2},
		{[]time.Duration{w.spin * 6 / 5}, w.spin * 6 / 5, 2 * w.spin, w.spin / 2},
		{[]time.Duration{2 * w.spin}, 2 * w.spin, 4 * w.spin, w.spin / 2},
		{[]time.Duration{10 * w.spin}, 10 * w.spin, 0, 0},
		{[]time.Duration{30 * w.spin}, 30 * w.spin, 0, 0},
	}
	rounds, delays := make([][wakeRounds]hybrid.Wake, len(spans)), make([][wakeRounds]times, len(spans))
	for _, name := range w.modes {
		mode, err := query.ParseMode(name)
		if err != nil {
			return nil, err
		}
		for round := range wakeRounds {
			var arrived []wakeSample
			for i, span := range spans {
				var some []wakeSample
				if span.each > 0 {
					if i == 0 || span.each != spans[i-1].each {
						if arrived, err = w.stream(ctx, name, span.each); err != nil {
							return nil, err
						}
					}
					for _, s := range arrived {
						if s.gap >= span.from && s.gap < span.to {
							some = append(some, s)
						}
					}
				} else if some, err = w.pairs(ctx, name, span.from); err != nil {
					return nil, err
				}
				var all times
				rounds[i][round].Cold[mode], rounds[i][round].Slower[mode], all = slowerOf(some)
				delays[i][round] = append(delays[i][round], all...)
			}
		}
	}
	for i, span := range spans {
		var some []hybrid.Wake
		for round := range wakeRounds {
			if len(delays[i][round]) > 0 { // queries that are slow arrive too seldom for short pauses
				some = append(some, quantiles(rounds[i][round], delays[i][round]))
			}
		}
		if len(some) == 0 {
			continue
		}
		wake := medianWake(some)
		for _, wake.Idle = range span.idle {
			out = append(out, wake)
		}
	}
	return out, nil
}

// slowerOf returns what queries of nothing took, and how much more others took than they cost: each of
// them, and by what share of their cost. The shorter half and the longer half tell these apart. One
// in fifty, which others on the host may have stopped, does not count.
func slowerOf(some []wakeSample) (cold, slower float64, delays times) {
	var rest []wakeSample
	for _, s := range some {
		if s.cost == 0 {
			delays = append(delays, s.took)
		} else {
			rest = append(rest, s)
		}
	}
	slices.SortFunc(rest, func(a, b wakeSample) int { return cmp.Compare(a.took-a.cost, b.took-b.cost) })
	rest = rest[:len(rest)-len(rest)/50]
	slices.SortFunc(rest, func(a, b wakeSample) int { return cmp.Compare(a.cost, b.cost) })
	mean := func(some []wakeSample) (cost, more float64) {
		for _, s := range some {
			cost += float64(s.cost) / float64(len(some))
			more += float64(s.took-s.cost-delays.mean()) / float64(len(some))
		}
		return cost, more
	}
	if len(rest) < 2 {
		return 0, 0, delays
	}
	short, less := mean(rest[:len(rest)/2])
	long, more := mean(rest[len(rest)/2:])
	cost, all := mean(rest)
	if long > short {
		slower = min(max((more-less)/(long-short), -0.5), max(all/cost, -0.5))
	}
	return max(all-slower*cost, 0), slower, delays
}

// stream asks queries of a mode, and as many of nothing, that arrive at random: one in the given time,
// or as many as keep a quarter of the workers busy. It returns what they took, by the time since the
// last answer, if none was running.
func (w *waking) stream(ctx context.Context, mode string, each time.Duration) (out []wakeSample, err error) {
	var queries []query.Query
	var costs times
	for i := range w.some {
		if r := &w.some[i]; r.mode == mode {
			queries, costs = append(queries, r.query, nothing), append(costs, max(r.record.Cost.CPU, 1), 0)
		}
	}
	if len(queries) == 0 {
		return nil, nil
	}
	w.streams++
	rate := min(1/each.Seconds(), float64(w.pool.Workers())/4/costs.mean().Seconds())
	due := loadtest.Arrivals(rate, w.time/4+w.time, w.streams)
	var row LoadRow
	if err := loadtest.Arrive(ctx, &hybridTarget{Executor: w.cpu, pool: w.pool}, queries, due, w.time, 0, &row.Result); err != nil {
		return nil, err
	}
	last := time.Duration(0) // answer
	for i, asked := range row.AskedAt {
		if row.Took[i] == loadtest.Refused {
			continue
		}
		if gap := asked - last; gap >= 0 && asked > w.time/4 {
			out = append(out, wakeSample{gap, row.Took[i] - (asked - due[i]), costs[i%len(costs)]})
		}
		last = max(last, due[i]+row.Took[i])
	}
	return out, nil
}

// pairs asks queries of a mode and of nothing in turn, each after a pause.
func (w *waking) pairs(ctx context.Context, mode string, idle time.Duration) (out []wakeSample, err error) {
	defer loadtest.SpareProcs()()
	begin := w.clock.Now()
	for n := 0; n < wakeSamples/2 && (n < leastWakes/2 || w.clock.Now()-begin < wakeTime); n++ {
		r := w.next(mode)
		if r == nil {
			break
		}
		for _, of := range []struct {
			q    *query.Query
			cost time.Duration
		}{{&r.query, r.record.Cost.CPU}, {&nothing, 0}} {
			took, err := askAwake(ctx, w.cpu, of.q, w.clock, w.clock.Now()+idle)
			if err != nil {
				return nil, err
			}
			out = append(out, wakeSample{idle, took, of.cost})
		}
	}
	return out, nil
}

// lanes measures how much longer than in calibrator.onGPU a query takes that is alone on the GPU.
func (w *waking) lanes(ctx context.Context, x *hybrid.Executor) (out []hybrid.Wake, err error) {
	defer loadtest.SpareProcs()()
	for _, idle := range laneIdles {
		var rounds []hybrid.Wake
		for range wakeRounds {
			var all times
			begin := w.clock.Now()
			for n := 0; n < wakeSamples && (n < leastWakes || w.clock.Now()-begin < wakeTime); n++ {
				w.at++
				r := &w.some[w.at%len(w.some)]
				due := w.clock.Now() + idle
				for idle > coresRest && w.clock.Now() < due {
					if _, err := askAwake(ctx, w.cpu, &r.query, w.clock, w.clock.Now()+coresRest/4); err != nil {
						return nil, err
					}
				}
				took, err := askAwake(ctx, x, &r.query, w.clock, max(due, w.clock.Now()))
				if err != nil {
					return nil, err
				}
				all = append(all, max(took-r.record.Cost.Alone, 0))
			}
			rounds = append(rounds, quantiles(hybrid.Wake{Idle: idle}, all))
		}
		out = append(out, medianWake(rounds))
	}
	return out, x.Stats().Retired
}

// saturatedTime is how long queries always wait.
const saturatedTime = 300 * time.Millisecond

// askAwake asks a query when it is due, and waits for the answer without sleeping. It
// returns when that came, from then on.
func askAwake(ctx context.Context, x *hybrid.Executor, q *query.Query, c *loadtest.Clock, due time.Duration) (time.Duration, error) {
	var took atomic.Int64
	var failed error
	c.Wait(due)
	err := x.Submit(ctx, q, func(_ []query.Hit, err error) {
		failed = err
		took.Store(int64(max(c.Now()-due, 1)))
	})
	for err == nil && took.Load() == 0 {
		if c.Now()-due > 10*time.Millisecond {
			runtime.Gosched()
		}
	}
	return time.Duration(took.Load()), cmp.Or(err, failed)
}

// quantiles returns w with the quantiles of delays.
func quantiles(w hybrid.Wake, delays times) hybrid.Wake {
	delays.sort()
	for i := range wakeQuants {
		w.Delays = append(w.Delays, delays.at((float64(i)+0.5)/wakeQuants))
	}
	return w
}

// medianWake returns the medians of rounds.
func medianWake(rounds []hybrid.Wake) hybrid.Wake {
	w := hybrid.Wake{Idle: rounds[0].Idle, Delays: make([]time.Duration, wakeQuants)}
	for mode := range w.Slower {
		var cold, slower []float64
		for _, r := range rounds {
			cold, slower = append(cold, r.Cold[mode]), append(slower, r.Slower[mode])
		}
		slices.Sort(cold)
		slices.Sort(slower)
		w.Cold[mode], w.Slower[mode] = cold[len(cold)/2], slower[len(slower)/2]
	}
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
