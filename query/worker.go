package query

import (
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/store"
)

// task is a part of a query's work: documents lo to hi of a segment.
type task struct {
	job    *job
	part   int
	lo, hi uint32
	worker int // DocRanges, Partitions: whose task it is
}

// scored is a scoring task: documents that an intersection task found.
type scored struct {
	job  *job
	part int
	m    matches
}

// worker is one goroutine of a Pool.
type worker struct {
	pool    *Pool
	index   int
	own     *ring[task] // DocRanges, Partitions: what is this worker's
	sleeper sleeper

	run   run
	last  attached
	doing *job    // of the task being performed
	owes  int     // tasks of doing that are done, while their hits are still in run
	next  *scored // FineGrained: the scoring task that is being filled
	first task    // of the pass that is being cut; the worker does it itself
	made  int     // tasks of that pass
	plan  []task  // those of them that were not given out yet

	// How long an idle worker spins: by how long it was idle the last time.
	patience time.Duration

	performed atomic.Uint64 // tasks
}

// attached says what a worker's run has open: the lists of a query's pass over a
// segment, at hi.
type attached struct {
	serial      uint64
	conjunctive bool
	part        int
	hi          uint32
}

func (w *worker) loop() {
	for !w.pool.ended.Load() {
		if !w.step() {
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
		w.payAll()
		p.spread()
		w.score(s)
		return true
	}
	if p.entry.len() > 0 && p.tasks.len() <= p.options.Threshold {
		w.payAll()
		if w.takeQuery() {
			return true
		}
	}
	if t, ok := p.tasks.pop(); ok {
		p.spread()
		w.execute(t)
		return true
	}
	return w.pay()
}

// ownTask does one of the tasks that are w's own.
func (w *worker) ownTask() bool {
	t, ok := w.own.pop()
	if ok {
		w.execute(t)
		w.pay()
	}
	return ok
}

// takeQuery begins a query of the entry queue, if there is one.
func (w *worker) takeQuery() bool {
	p := w.pool
	if p.exclusive() && !p.turn.CompareAndSwap(false, true) {
		return false
	}
	j, ok := p.entry.pop()
	for ok && !j.state.CompareAndSwap(queued, begun) {
		p.recycle(j)
		j, ok = p.entry.pop()
	}
	if !ok {
		p.turn.Store(false)
		return false
	}
	p.spread()
	w.begin(j)
	return true
}

// begin answers j, or makes its first tasks.
func (w *worker) begin(j *job) {
	if j.pool.options.Model == Inter {
		j.fail(w.whole(j))
		j.end()
		return
	}
	if j.fail(j.prepare()); j.halt.Load() {
		j.end()
		return
	}
	w.launch(j, j.q.Mode != Or)
}

// answer works on j, which nobody has begun, in a caller's goroutine. It returns
// when j is done, or when others have had the rest of it in hand for some time.
func (w *worker) answer(j *job) {
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
	w.payAll()
}

// stepFor does one piece of work for j, or reports that none waits, or that the
// next is another query's.
func (w *worker) stepFor(j *job) (done, foreign bool) {
	p := w.pool
	if w.ownTask() {
		return true, false
	}
	if s, ok := p.scoring.pop(); ok {
		w.payAll()
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
	return w.pay(), false
}

// whole answers a query.
func (w *worker) whole(j *job) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	w.run.begin(j.ctx, j.pool.s, &j.q)
	if err := w.run.resolve(); err != nil {
		return err
	}
	err = w.run.compute()
	j.top.heap = append(j.top.heap[:0], w.run.top.heap...)
	w.run.forget()
	return err
}

// launch makes the tasks of a pass, and of Or after And where And needs none.
func (w *worker) launch(j *job, conjunctive bool) {
	if !j.pass(conjunctive) {
		w.complete(j)
		return
	}
	start := time.Now()
	j.pending.Store(1) // so that j is not done before all tasks are made
	w.made, w.plan = 0, w.plan[:0]
	j.fail(j.split(w))
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

// emit adds a task to the pass that w cuts. The first is w's; the others are given
// out when there are enough for all workers, as those that spin come running for a
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

// push gives out the tasks of j in the plan.
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
			w.pay()
		}
	}
	if p.options.Model == FineGrained {
		p.wake(len(w.plan))
	}
	clear(w.plan)
	w.plan = w.plan[:0]
}

// execute does an intersection task, or a range of a disjunction. Its hits stay
// with w, and it counts as not done, until w pays: all of a query's tasks that w
// does one after the other are accounted for at once.
func (w *worker) execute(t task) {
	if w.doing != t.job {
		w.payAll()
		w.doing = t.job
	}
	if j := t.job; !j.halt.Load() {
		w.performed.Add(1)
		j.fail(w.perform(t))
	}
	w.owes++
}

// pay hands over the hits of the tasks that w has done, and reports whether there
// were such tasks.
func (w *worker) pay() bool {
	j, n := w.doing, w.owes
	w.doing, w.owes = nil, 0
	if n == 0 {
		return false
	}
	j.collect(&w.run.top)
	w.release(j, n)
	return true
}

// payAll pays until nothing is owed: paying may begin the next pass of a query.
func (w *worker) payAll() {
	for w.pay() {
	}
}

// release counts n tasks of j as done.
func (w *worker) release(j *job, n int) {
	if j.pending.Add(-int64(n)) == 0 {
		w.complete(j)
	}
}

// complete ends a pass.
func (w *worker) complete(j *job) {
	if j.finished() {
		j.end()
		return
	}
	w.launch(j, false)
}

func (w *worker) perform(t task) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	j, r := t.job, &w.run
	w.next, r.later = nil, nil
	if !w.attach(j, t.part, t.lo) {
		return r.err
	}
	r.lo, r.hi = t.lo, t.hi
	if w.pool.options.Model == FineGrained && j.conjunctive && (t.lo > 0 || t.hi < end) {
		r.later = w
	}
	r.dispatch(j.conjunctive)
	if s := w.next; s != nil { // too few for a task
		w.next = nil
		if r.err == nil {
			r.scoreMatches(&s.m)
		}
		w.pool.scores.Put(s)
	}
	w.last.hi = t.hi
	if r.err != nil {
		w.last = attached{}
	}
	return r.err
}

// attach makes w's run ready for a task of j from document lo of a segment on.
// Lists that stand before lo after another task of the pass stay open.
func (w *worker) attach(j *job, part int, lo uint32) bool {
	r := &w.run
	ok := true
	if a := w.last; a.serial != j.serial || a.conjunctive != j.conjunctive || a.part != part || a.hi > lo {
		w.last = attached{j.serial, j.conjunctive, part, 0}
		r.begin(j.ctx, j.pool.s, &j.q)
		r.halt, r.terms = &j.halt, j.lead.terms
		ok = r.enter(part, j.conjunctive)
	}
	if w.owes == 0 {
		r.top.reset(j.top.k, len(j.lead.terms))
		r.partial.reset(j.top.k)
		r.top.shared = &j.theta
	}
	r.top.sync()
	return ok
}

// minScored is how many documents make a scoring task; fewer are scored where
// they were found.
const minScored = 256

// postpone collects matches for scoring tasks and reports true, unless they are
// better scored at once: while no threshold is known, which blocks are passed over
// by, and while there are enough tasks for all workers.
func (w *worker) postpone(m *matches, lists int) bool {
	p := w.pool
	if w.run.top.prune < 0 || len(p.workers) == 1 || p.tasks.len() > 0 {
		return false
	}
	if w.next == nil {
		w.next = p.scores.Get().(*scored)
		w.next.m.reset(lists)
	}
	s := w.next
	s.m.append(m, lists)
	if len(s.m.docs) < minScored {
		return true
	}
	w.next = nil
	j := w.doing
	s.job, s.part = j, w.last.part
	j.pending.Add(1)
	p.scoringTasks.Add(1)
	if !p.scoring.push(s) {
		w.run.scoreMatches(&s.m)
		p.scores.Put(s)
		j.pending.Add(-1) // the task that found them is not done, so this is not the last
		return true
	}
	p.wake(1)
	return true
}

// score does a scoring task.
func (w *worker) score(s *scored) {
	j := s.job
	if !j.halt.Load() {
		w.performed.Add(1)
		j.fail(w.scoreAll(s))
	}
	s.job = nil
	w.pool.scores.Put(s)
	w.release(j, 1)
}

func (w *worker) scoreAll(s *scored) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	r := &w.run
	if !w.attach(s.job, s.part, end) || !r.open(len(r.lists)) {
		w.last = attached{}
		return r.err
	}
	r.scoreMatches(&s.m)
	if r.err != nil {
		w.last = attached{}
		return r.err
	}
	s.job.collect(&r.top)
	return nil
}
