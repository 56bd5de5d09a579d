package hybrid

import (
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query"
)

// While the Pool is not behind, queries bypass the queues. The worker that comes to one weighs it, and gives
// it to the queues if the GPU is expected to answer sooner. So the goroutine that asks, which may be one for all
// cores, need not weigh, and the answer finds in caches what weighing has read.

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
	begun := x.begun.since(&x.told.begun)
	if begun != (amount{}) || done != (amount{}) {
		x.policy.countCPU(begun, done, now)
	}
}

// answersWhileIdle is how many answers of the CPU pump may leave to the next call while cores are idle and no
// query waits for them.
const answersWhileIdle = 16

// publish tells Submit and the Pool's workers what the policy has decided. x.mu must be held.
func (x *Executor) publish() {
	p := x.policy
	chunk, freely := max(1, (p.cpu.queries-int(p.cores()))/2), p.freely(x.now())
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

// bypasses reports whether a query may bypass the queues.
func (x *Executor) bypasses(q *query.Query) bool {
	return !x.bulk.crowded.Load() && !x.weighing.most[q.Mode].Load() && x.onPool.Load() < x.limit.Load() // onPool changes often
}

// bypass gives a job to the Pool, if it may bypass the queues.
func (x *Executor) bypass(j *job) bool {
	if !x.bypasses(&j.q) {
		return false
	}
	j.entry.cost = Cost{CPU: time.Duration(x.weighing.each[j.q.Mode].Load())}
	x.onPool.Add(1)
	x.begun.queries.Add(1)
	x.begun.work.Add(int64(j.entry.cost.CPU))
	if err := x.cpu.Offer(trusted.Caller{}, j.ctx, &j.q, j.stays, j.onCPU); err != nil {
		go j.answered(nil, err) // not in the goroutine that calls Submit
	}
	return true
}

// weighed is called by the worker that comes to a job that has bypassed the queues. It returns false if the
// GPU is expected to answer sooner; then the queues have the job.
func (j *job) weighed() (stays bool) {
	x, e := j.x, &j.entry
	gpu := x.gpu.Load()
	if gpu == nil || x.gone.Load() || x.options.Mode == OnlyCPU || !supported(&j.q) || !x.weighing.due(j.q.Mode) {
		return true
	}
	begun := x.now()
	all, err := x.cpu.Searcher().AppendTermInfo(j.infos[:0], j.q.RawTerms)
	if j.infos = all; err != nil {
		return true // the CPU will find the same error
	}
	f, guessed := FeaturesOf(&j.q, all), e.cost.CPU
	model := gpu.model.core(&f)
	e.cost.CPU = x.weighing.correct(j.q.Mode, model)
	took, gain := x.now()-begun, time.Duration(0)
	if e.cost.CPU > time.Duration(x.soonest.Load()) && x.expect(j) == nil {
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
	j.model, j.began = model, begun+took
	return true
}

// reconsider lets the queries of a mode bypass the queues again once the GPU is not expected to answer most of them
// sooner than an idle core. The job has been weighed by Submit. x.mu must be held.
func (x *Executor) reconsider(j *job, now time.Duration) {
	if w := &x.weighing; w.most[j.q.Mode].Load() && !j.entry.pinned && w.mu.TryLock() {
		defer w.mu.Unlock()
		w.count(j.q.Mode, x.policy.gain(&j.entry, now))
	}
}
