package pool

import (
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/engine"
)

// task is an intersection task, or a range of a disjunction.
type task struct {
	job *job
	engine.Task
	worker int // DocRanges, Partitions: the worker that must do it
}

// scoring is a scoring task: documents that an intersection task found.
type scoring struct {
	job   *job
	batch *engine.Batch
}

// worker is one goroutine of a Pool.
type worker struct {
	pool    *Pool
	index   int
	own     *ring[task] // DocRanges, Partitions: tasks for this worker
	sleeper sleeper

	tasks   *engine.Worker
	doing   *job   // the job of the last tasks
	owes    int    // tasks of doing that are done but still pending
	cutting task   // the job and segment being cut
	first   task   // of the pass being cut; the worker does it itself
	made    int    // number of tasks of that pass
	plan    []task // tasks of that pass that other workers cannot take yet

	// patience is how long w spins when idle; it depends on how long w was idle the last time.
	patience time.Duration
	spare    *job // to be used again; who takes a spinning worker out of that set takes it too

	_   [64]byte
	box atomic.Pointer[job]
	_   [64]byte

	yielded, looked time.Time // when it last gave way, and read the clock for that
	unread, stride  int       // steps since, and steps between two such looks

	untimed   int           // queries since one was timed
	performed atomic.Uint64 // tasks
}

func (w *worker) loop() {
	for !w.pool.ended.Load() {
		switch {
		case w.excess():
			w.sleep()
		case w.step():
			w.stepped()
		default:
			w.rest()
		}
	}
}

// step does one piece of work, or reports that there is none.
func (w *worker) step() bool {
	p := w.pool
	if p.options.Model != FineGrained {
		return w.ownTask() || w.takeQuery()
	}
	if s, ok := p.scoring.pop(); ok {
		w.settleAll()
		p.spread()
		w.score(s)
		return true
	}
	if p.entry.len() > 0 && p.tasks.len() <= p.options.Threshold {
		w.settleAll()
		if w.takeQuery() {
			return true
		}
	}
	if t, ok := p.tasks.pop(); ok {
		p.spread()
		w.execute(t)
		return true
	}
	return w.settle()
}

// ownTask does one of the tasks that only w may do.
func (w *worker) ownTask() bool {
	t, ok := w.own.pop()
	if ok {
		w.execute(t)
		w.settle()
	}
	return ok
}

// takeQuery begins a query from the entry queue, if there is one.
func (w *worker) takeQuery() bool {
	p := w.pool
	if p.options.Model.exclusive() && !p.turn.CompareAndSwap(false, true) {
		return false
	}
	j, ok := w.next()
	for ok {
		j.prepare() // before its caller may make it fail
		if j.state.CompareAndSwap(queued, begun) {
			break
		}
		p.recycle(j)
		j, ok = w.next()
	}
	if !ok {
		p.turn.Store(false)
		return false
	}
	if j.notify != nil && p.options.Model == Inter { // w recycles it
		j.home = w
	}
	p.spread()
	w.begin(j)
	return true
}

// next returns the query in w's box, or the oldest of the entry queue.
func (w *worker) next() (*job, bool) {
	if w.box.Load() != nil {
		if j := w.box.Swap(nil); j != &w.pool.look {
			return j, true
		}
	}
	return w.pool.entry.pop()
}

// begin answers j, or makes its first tasks.
func (w *worker) begin(j *job) {
	if err := j.ctx.Err(); err != nil { // a query with little to do would not notice
		j.x.Fail(err)
		j.end()
		return
	}
	if trivial(&j.q) { // of Submit
		j.end()
		return
	}
	if j.wanted != nil && !j.wanted() {
		j.drop()
		return
	}
	switch {
	case w.pool.options.Model == Inter:
		j.x.Fail(w.timed(j))
		j.end()
		return
	}
	switch j.x.Fail(j.x.Resolve()); {
	case j.x.Failed():
		j.end()
	case j.x.OnlyTotal():
		j.x.Fail(j.x.Count())
		j.end()
	default:
		w.launch(j)
	}
}

// timed answers j, a query of model Inter, and measures one query in timedOf.
func (w *worker) timed(j *job) error {
	if w.untimed > 0 {
		w.untimed--
		return w.tasks.Answer(j.x)
	}
	w.untimed = timedOf - 1
	begun := time.Now()
	err := w.tasks.Answer(j.x)
	old := w.pool.typical.Load()
	w.pool.typical.Store(old + (int64(time.Since(begun))-old)/8)
	return err
}

// answer works on j, which no worker has begun, in the caller's goroutine. It returns when j is
// done, or when only other workers have had work for j for some time.
func (w *worker) answer(j *job) {
	j.prepare()
	j.state.Store(begun)
	w.pool.wake(w.pool.foreseen() - 1)
	w.begin(j)
	start, n := time.Now(), 0
	for len(j.done) == 0 {
		more, foreign := w.stepFor(j)
		if foreign {
			break
		}
		if more {
			start = time.Now()
			continue
		}
		relax(pauses)
		if n++; n%looks == 0 && time.Since(start) > DefaultSpinFor {
			break
		}
	}
	w.settleAll()
}

// stepFor does one piece of work, preferably for j. done reports whether there was any, foreign
// whether it came across a piece of another query.
func (w *worker) stepFor(j *job) (done, foreign bool) {
	p := w.pool
	if w.ownTask() {
		return true, false
	}
	if s, ok := p.scoring.pop(); ok {
		w.settleAll()
		if foreign = s.job != j; !foreign || !p.scoring.push(s) {
			w.score(s)
		}
		return true, foreign
	}
	if t, ok := p.tasks.pop(); ok {
		if foreign = t.job != j; !foreign || !p.tasks.push(t) {
			p.spread()
			w.execute(t)
		}
		return true, foreign
	}
	return w.settle(), false
}

// launch makes the tasks of a pass. If nothing can match, it completes the pass.
func (w *worker) launch(j *job) {
	some, err := j.x.Start()
	if j.x.Fail(err); !some || err != nil {
		w.complete(j)
		return
	}
	start := time.Now()
	j.pending.Store(1) // keeps j from being done before all tasks are made
	w.made, w.plan = 0, w.plan[:0]
	j.x.Fail(w.split(j))
	w.cutting = task{}
	w.push(j)
	w.pool.count(w.made, time.Since(start))
	if w.made == 0 || w.pool.options.Model != FineGrained {
		w.release(j, 1)
		return
	}
	t := w.first
	w.first = task{}
	w.execute(t)
}

// emit adds a task to the pass that w is cutting. w keeps the first task. It releases the
// others when there are enough for all workers, since every spinning worker tries to take a
// single one.
func (w *worker) emit(t task) {
	if w.made++; w.made == 1 && w.pool.options.Model == FineGrained {
		w.first = t
		return
	}
	if w.plan = append(w.plan, t); len(w.plan) == len(w.pool.workers) {
		w.push(t.job)
	}
}

// push releases the planned tasks of j.
func (w *worker) push(j *job) {
	p := w.pool
	j.pending.Add(int64(len(w.plan)))
	for _, t := range w.plan {
		switch {
		case p.options.Model == FineGrained:
			if !p.tasks.push(t) {
				w.execute(t)
			}
		case p.workers[t.worker].own.push(t):
			p.unpark(p.workers[t.worker])
		default:
			w.execute(t)
			w.settle()
		}
	}
	if p.options.Model == FineGrained {
		p.wake(len(w.plan))
	}
	clear(w.plan)
	w.plan = w.plan[:0]
}

// execute does a task. Its hits stay with w, and it stays pending, until w settles: w accounts
// once for consecutive tasks of the same query.
func (w *worker) execute(t task) {
	if w.doing != t.job {
		w.settleAll()
		w.doing = t.job
	}
	if j := t.job; !j.x.Failed() {
		w.performed.Add(1)
		var s engine.Sink
		if w.pool.options.Model == FineGrained {
			s = w
		}
		j.x.Fail(w.tasks.Do(j.x, t.Task, s))
	}
	w.owes++
}

// settle hands over the hits of the tasks that w has done, and reports whether there were any.
func (w *worker) settle() bool {
	j, n := w.doing, w.owes
	w.doing, w.owes = nil, 0
	if n == 0 {
		return false
	}
	w.tasks.Collect(j.x)
	w.release(j, n)
	return true
}

// settleAll settles until there is nothing to settle: settling may begin the next pass of a
// query.
func (w *worker) settleAll() {
	for w.settle() {
	}
}

// release counts n tasks of j as finished.
func (w *worker) release(j *job, n int) {
	if j.pending.Add(-int64(n)) == 0 {
		w.complete(j)
	}
}

// complete ends a pass.
func (w *worker) complete(j *job) {
	more, err := j.x.Next()
	if j.x.Fail(err); more && err == nil {
		w.launch(j)
		return
	}
	j.x.Fail(j.x.Count())
	j.end()
}

// Wanted implements engine.Sink. While other tasks keep all workers busy, no scoring tasks are
// made.
func (w *worker) Wanted() bool { return len(w.pool.workers) > 1 && w.pool.tasks.len() == 0 }

// Take implements engine.Sink: it makes a scoring task of a batch.
func (w *worker) Take(b *engine.Batch) bool {
	p, j := w.pool, w.doing
	j.pending.Add(1)
	p.scoringTasks.Add(1)
	if !p.scoring.push(scoring{j, b}) {
		j.pending.Add(-1) // not the last: the task that found the documents is still pending
		return false
	}
	p.wake(1)
	return true
}

// score does a scoring task.
func (w *worker) score(s scoring) {
	if !s.job.x.Failed() {
		w.performed.Add(1)
		s.job.x.Fail(w.tasks.Score(s.job.x, s.batch))
	}
	w.release(s.job, 1)
}
