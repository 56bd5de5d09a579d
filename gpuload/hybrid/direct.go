package hybrid

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/query"
)

// While few queries are on the Pool, others go there past the queues. The worker that takes one weighs it
// and gives it to the queues if the GPU is expected to answer sooner. So the goroutine that asks, which may be
// one for all cores, need not weigh, and what weighing brings into caches serves the answer.

// tally counts queries that a processor has begun or done.
type tally struct {
	queries atomic.Int64 // not yet known to the policy
	work    atomic.Int64 // predicted, since New
}

// amount is a number of queries and the work that they are predicted to be.
type amount struct {
	queries int
	work    time.Duration
}

// since returns what has been added since the last call. told is memory.
func (t *tally) since(told *int64) amount {
	n, work := t.queries.Swap(0), t.work.Load()
	a := amount{int(n), time.Duration(work - *told)}
	*told = work
	return a
}

// settle tells the policy what the CPU has begun and done. x.mu must be held.
func (x *Executor) settle(now time.Duration) {
	done := x.done.since(&x.told.done) // before begun, which it must not exceed
	if begun := x.begun.since(&x.told.begun); begun != (amount{}) || done != (amount{}) {
		x.policy.passCPU(begun, done, now)
	}
}

// answersWhileIdle is how many answers of the CPU pump may leave to the next call while cores are idle and no
// query waits for them.
const answersWhileIdle = 16

// publish tells Submit and the Pool's workers what the policy has decided. x.mu must be held.
func (x *Executor) publish() {
	p := x.policy
	chunk, freely := max(1, (p.cpu.queries-int(p.cores()))/2), p.freely(time.Duration(x.weighing.each.Load()))
	if _, idle := p.cpuRoom(); idle && freely > 0 {
		chunk = answersWhileIdle
	}
	change(&x.chunk, int64(chunk))
	change(&x.limit, int64(freely))
	change(&x.soonest, int64(p.gpu.pace.of(p.base)))
	x.hungry.Store(p.hungry())
}

// change stores a value that all cores read, if it is another one.
func change(at *atomic.Int64, to int64) {
	if at.Load() != to {
		at.Store(to)
	}
}

// passes reports whether a query may go to the Pool past the queues.
func (x *Executor) passes(q *query.Query) bool {
	return !x.bulk.crowded.Load() && !x.weighing.most[q.Mode].Load() && x.onPool.Load() < x.limit.Load() // onPool changes often
}

// pass gives a job to the Pool past the queues, if it may go there.
func (x *Executor) pass(j *job) bool {
	if !x.passes(&j.q) {
		return false
	}
	j.entry.cost = Cost{CPU: time.Duration(x.weighing.each.Load())}
	x.onPool.Add(1)
	x.begun.queries.Add(1)
	x.begun.work.Add(int64(j.entry.cost.CPU))
	if err := x.cpu.SubmitIf(j.ctx, &j.q, j.stays, j.onCPU); err != nil {
		go j.answered(nil, err) // not in the goroutine that calls Submit
	}
	return true
}

// weighed is called by the worker that comes to a job past the queues. It returns false if the GPU is
// expected to answer sooner; then the queues have the job.
func (j *job) weighed() (stays bool) {
	x, e := j.x, &j.entry
	gpu := x.gpu.Load()
	if gpu == nil || x.gone.Load() || x.options.Mode == OnlyCPU || !supported(&j.q) || !x.weighing.due(j.q.Mode) {
		return true
	}
	begun := x.now()
	all, err := x.cpu.Searcher().AppendTermInfo(j.infos[:0], j.q.Terms)
	if j.infos = all; err != nil {
		return true // the CPU will find the same error
	}
	f, guessed := FeaturesOf(&j.q, all), e.cost.CPU
	e.cost.CPU = gpu.model.core(&f)
	took, gain := x.now()-begun, time.Duration(0)
	if doubted(e.cost.CPU) > time.Duration(x.soonest.Load()) && x.expect(j) == nil {
		x.mu.Lock()
		gain = x.policy.gain(e, x.now())
		x.mu.Unlock()
	}
	x.weighing.observe(j.q.Mode, e.cost.CPU, took, gain)
	if gain > 0 {
		x.onPool.Add(-1)
		x.begun.queries.Add(-1)
		x.begun.work.Add(-int64(guessed))
		x.arrived.push(j)
		x.pump()
		return false
	}
	x.begun.work.Add(int64(e.cost.CPU - guessed))
	return true
}

// reconsider lets the queries of a mode pass the queues again once the GPU is not expected to answer most of them
// sooner than an idle core. The job has been weighed by Submit. x.mu must be held.
func (x *Executor) reconsider(j *job, now time.Duration) {
	if w := &x.weighing; w.most[j.q.Mode].Load() && !j.entry.pinned {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.count(j.q.Mode, x.policy.gain(&j.entry, now))
	}
}

// weighing decides which of the queries past the queues are weighed: all while that gains more time than it
// takes, and otherwise a few, to see whether it would. It takes 1 to 4 us on a core that has been idle. While most
// are the GPU's, none pass the queues.
type weighing struct {
	each atomic.Int64   // what a query is predicted to take a core, nanoseconds; moving average
	idle [3]atomic.Bool // it does not pay, by mode
	most [3]atomic.Bool // most are the GPU's

	_    [64]byte // the rest changes with each query that is weighed
	mu   sync.Mutex
	took [3]float64 // nanoseconds a query; moving averages
	gain [3]float64
	gpus [3]float64      // share of the queries that are the GPU's
	n    [3]atomic.Int64 // queries while idle
}

const (
	// When weighing does not pay, one query in weighSome is weighed.
	weighSome = 16
	// Times and gains are averaged over some of the last queries. Gains are rare and large.
	weighTimes, weighGains = 64, 1024
	// firstGain is the gain that is expected at first. longestWeigh is what an interrupted weighing counts.
	firstGain, longestWeigh = 100 * time.Microsecond, 10 * time.Microsecond
	// Most queries are the GPU's from the share mostGPU on, until it is below leastGPU.
	leastGPU, mostGPU = 0.5, 0.75
)

func (w *weighing) init() {
	for i := range w.gain {
		w.gain[i] = float64(firstGain)
	}
}

// due reports whether the next query of a mode is to be weighed.
func (w *weighing) due(mode query.Mode) bool {
	return !w.idle[mode].Load() || w.n[mode].Add(1)%weighSome == 0
}

// count records whether a query is the GPU's, which is so if that gains time. w.mu must be held.
func (w *weighing) count(mode query.Mode, gain time.Duration) {
	w.gpus[mode] -= w.gpus[mode] / weighTimes
	if gain > 0 {
		w.gpus[mode] += 1.0 / weighTimes
	}
	if most := w.gpus[mode] > mostGPU || w.most[mode].Load() && w.gpus[mode] > leastGPU; most != w.most[mode].Load() {
		w.most[mode].Store(most)
	}
}

// observe records that weighing a query took some time and gained some, and what it is predicted to take a core.
func (w *weighing) observe(mode query.Mode, core, took, gain time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count(mode, gain)
	change(&w.each, w.each.Load()+(int64(core)-w.each.Load())/weighTimes)
	w.took[mode] += (float64(min(took, longestWeigh)) - w.took[mode]) / weighTimes
	w.gain[mode] += (float64(gain) - w.gain[mode]) / weighGains
	if idle := w.gain[mode] < w.took[mode]; idle != w.idle[mode].Load() {
		w.idle[mode].Store(idle)
	}
}
