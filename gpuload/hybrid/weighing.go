package hybrid

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/query"
)

// weighing is what is known, by mode, of the queries that bypass the queues. All are weighed while that gains
// more time than it takes, 1 to 4 us on a core that has been idle; otherwise a few are, to see whether it would.
// While most are the GPU's, none bypass the queues.
type weighing struct {
	each atomic.Int64    // what a query is predicted to take a core, 0 for the GPU's, nanoseconds; moving average
	idle [3]atomic.Bool  // weighing does not pay
	most [3]atomic.Bool  // most are the GPU's
	far  [3]atomic.Int64 // what a core takes over what the Model says, in 1/farUnit; 1 unless that is far off

	_    [64]byte        // the rest changes with each query that is weighed
	mu   sync.Mutex      // who does not get it at once leaves a query out, rather than let a worker wait
	took [3]float64      // nanoseconds to weigh a query; moving averages
	gain [3]float64      // the same of what that gains
	gpus [3]float64      // share of the queries that are the GPU's
	slow [3]float64      // median of what a core takes over what the Model says, at least 1
	n    [3]atomic.Int64 // queries while idle
}

const (
	// When weighing does not pay, one query in weighSome is weighed.
	weighSome = 16
	// Times and gains are averaged over some of the last queries. Gains are rare and large.
	weighTimes, weighGains = 64, 1024
	// firstGain and firstEach are what is expected at first. longestWeigh is what an interrupted weighing counts.
	firstGain, firstEach, longestWeigh = 100 * time.Microsecond, 100 * time.Microsecond, 10 * time.Microsecond
	// Most queries are the GPU's from the share mostGPU on, until it is below leastGPU.
	leastGPU, mostGPU = 0.5, 0.75
	// A Model is far off if cores take farOff times as long or more; on cold caches they may take nearly that.
	// slow moves by slowStep with each query that a core answers, and falls by fadeStep with each of the
	// GPU's: a core that gets no queries cannot tell.
	farOff, mostSlow, farUnit = 2, 64, 1024
	slowStep, fadeStep        = 1.0 / 64, 1.0 / 8192
)

func (w *weighing) init() {
	w.each.Store(int64(firstEach))
	for i := range w.gain {
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
	change(&w.each, w.each.Load()+(int64(core)-w.each.Load())/weighTimes)
	w.took[mode] += (float64(min(took, longestWeigh)) - w.took[mode]) / weighTimes
	w.gain[mode] += (float64(gain) - w.gain[mode]) / weighGains
	if idle := w.gain[mode] < w.took[mode]; idle != w.idle[mode].Load() {
		w.idle[mode].Store(idle)
	}
}

// count records whether a query is the GPU's, which is so if that gains time. w.mu must be held.
func (w *weighing) count(mode query.Mode, gain time.Duration) {
	w.gpus[mode] -= w.gpus[mode] / weighTimes
	if gain > 0 {
		w.gpus[mode] += 1.0 / weighTimes
		w.slower(mode, 1-fadeStep)
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
// host makes a few queries take hundreds of times as long.
func (w *weighing) answered(mode query.Mode, model, took time.Duration) {
	if !w.mu.TryLock() {
		return
	}
	defer w.mu.Unlock()
	if float64(took) > w.slow[mode]*float64(model) {
		w.slower(mode, 1+slowStep)
	} else {
		w.slower(mode, 1-slowStep)
	}
}

// slower multiplies slow by a factor. w.mu must be held.
func (w *weighing) slower(mode query.Mode, by float64) {
	w.slow[mode] = min(max(w.slow[mode]*by, 1), mostSlow)
	change(&w.far[mode], int64(farUnit*max(w.slow[mode]/farOff, 1)))
}
