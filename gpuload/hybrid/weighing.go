package hybrid

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/query"
)

// weighing is what is known, by mode, of the queries that bypass the queues. All are weighed while that gains
// more time than it costs: 1 to 4 us to weigh each, on a core that has been idle, and what the GPU's work takes from
// the others. Otherwise a few are, to see whether it would. While most are the GPU's, none bypass the queues.
type weighing struct {
	each [3]atomic.Int64 // what a query is predicted to take a core, 0 for the GPU's, nanoseconds; moving average
	idle [3]atomic.Bool  // weighing does not pay
	most [3]atomic.Bool  // most are the GPU's
	far  [3]atomic.Int64 // slow in 1/farUnit

	_    [64]byte        // the rest changes with each query that is weighed
	mu   sync.Mutex      // who does not get it at once leaves a query out, rather than let a worker wait
	seen [3]int          // queries
	took [3]float64      // nanoseconds to weigh a query; moving averages
	gain [3]float64      // the same of what that gains
	gpus [3]float64      // share of the queries that are the GPU's
	slow [3]float64      // what a core takes over what the Model says: median, weighted by that
	n    [3]atomic.Int64 // queries while idle
}

const (
	// When weighing does not pay, one query in weighSome is weighed.
	weighSome = 16
	// Times and gains are averaged over some of the last queries. Gains are rare and large.
	weighTimes, weighGains = 64, 1024
	// firstGain, as if of firstQueries, and firstEach are what is expected at first. longestWeigh is what an
	// interrupted weighing counts.
	firstGain, firstQueries, firstEach, longestWeigh = 100 * time.Microsecond, 64, 100 * time.Microsecond, 10 * time.Microsecond
	// disturbs is what the GPU's work costs a query of a core: workers that leave Ps wake later, caches are cold.
	// Medians were so much higher at 150,000 to 300,000 queries a second while the GPU answered one in forty.
	disturbs = 10 * time.Microsecond
	// Most queries are the GPU's from the share mostGPU on, until it is below leastGPU.
	leastGPU, mostGPU = 0.5, 0.75
	// slow moves by slowStep with each query that a core answers, for one that takes long by up to longStep times
	// that, and by fadeStep towards 1 with each of the GPU's: a core that gets no queries cannot tell.
	mostSlow, farUnit            = 64, 1024
	slowStep, fadeStep, longStep = 1.0 / 64, 1.0 / 8192, 4
)

func (w *weighing) init() {
	for i := range w.gain {
		w.each[i].Store(int64(firstEach))
		w.gain[i], w.slow[i] = float64(firstGain), 1
		w.far[i].Store(farUnit)
	}
}

// due reports whether the next query of a mode is to be weighed.
func (w *weighing) due(mode query.Mode) bool {
	return !w.idle[mode].Load() || w.n[mode].Add(1)%weighSome == 0
}

// observe records that weighing a query took some time and gained some, and what it is predicted to take a core.
func (w *weighing) observe(mode query.Mode, core, took, gain time.Duration) {
	if !w.mu.TryLock() {
		return
	}
	defer w.mu.Unlock()
	w.count(mode, gain)
	if gain > 0 {
		core = 0
	}
	w.seen[mode]++
	each, n := &w.each[mode], min(w.seen[mode], weighTimes)
	change(each, each.Load()+(int64(core)-each.Load())/int64(n))
	w.took[mode] += (float64(min(took, longestWeigh)) - w.took[mode]) / float64(n)
	w.gain[mode] += (float64(gain) - w.gain[mode]) / float64(min(w.seen[mode]+firstQueries, weighGains))
	if idle := w.gain[mode] < w.took[mode]+float64(disturbs); idle != w.idle[mode].Load() {
		w.idle[mode].Store(idle)
	}
}

// count records whether a query is the GPU's, which is so if that gains time. w.mu must be held.
func (w *weighing) count(mode query.Mode, gain time.Duration) {
	w.gpus[mode] -= w.gpus[mode] / weighTimes
	if gain > 0 {
		w.gpus[mode] += 1.0 / weighTimes
		w.slower(mode, 1+math.Copysign(fadeStep, 1-w.slow[mode]))
	}
	if most := w.gpus[mode] > mostGPU || w.most[mode].Load() && w.gpus[mode] > leastGPU; most != w.most[mode].Load() {
		w.most[mode].Store(most)
	}
}

// correct returns what a core is expected to take for what takes d by the Model.
func (w *weighing) correct(mode query.Mode, d time.Duration) time.Duration {
	return d * time.Duration(w.far[mode].Load()) / farUnit
}

// answered records what a core took for a query, and what the Model had said. It follows the median: a stop of the
// host makes a few queries take hundreds of times as long. Long queries, which may be the GPU's, count for more.
func (w *weighing) answered(mode query.Mode, model, took time.Duration) {
	if !w.mu.TryLock() {
		return
	}
	defer w.mu.Unlock()
	expected := w.slow[mode] * float64(model)
	step := slowStep * min(expected/float64(max(w.each[mode].Load(), 1)), longStep)
	w.slower(mode, 1+math.Copysign(step, float64(took)-expected))
}

// slower multiplies slow by a factor. w.mu must be held.
func (w *weighing) slower(mode query.Mode, by float64) {
	w.slow[mode] = min(max(w.slow[mode]*by, 1.0/mostSlow), mostSlow)
	change(&w.far[mode], int64(farUnit*w.slow[mode]))
}
