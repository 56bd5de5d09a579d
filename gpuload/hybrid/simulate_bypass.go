package hybrid

import "time"

// weighAlone is what it takes a worker of the Pool to weigh a query, whose terms are seldom in its caches.
const weighAlone = 2 * time.Microsecond

// bypass gives query i to the Pool, if it may bypass the queues, as Executor.bypass does.
func (w *world) bypass(i int) bool {
	p, r := w.policy, w.record(i)
	each := time.Duration(w.weighing.each[r.Mode].Load())
	if w.bulk.stock.left > 0 || w.weighing.most[r.Mode].Load() || w.onPool >= p.freely(w.now) {
		return false
	}
	w.onPool++
	e := &entry{cost: Cost{CPU: each}, pinned: r.Pinned, sim: i}
	p.countCPU(amount{1, each}, amount{}, w.now)
	w.pool = append(w.pool, simJob{since: w.now, mode: r.Mode, query: true, start: func() (time.Duration, func()) { return w.weighed(e) }})
	return true
}

// weighed returns what the core does that comes to a query that has bypassed the queues, as job.weighed.
func (w *world) weighed(e *entry) (work time.Duration, then func()) {
	p, r, guessed, model := w.policy, w.record(e.sim), e.cost.CPU, time.Duration(0)
	if !e.pinned && !p.retired && p.mode != OnlyCPU && w.weighing.due(r.Mode) {
		work, e.cost = weighAlone, w.predicted(e.sim)
		model = e.cost.CPU
		e.cost.CPU = w.weighing.correct(r.Mode, model)
		gain := p.gain(e, w.now)
		w.weighing.observe(r.Mode, e.cost.CPU, work, gain)
		if gain > 0 {
			return work, func() {
				w.onPool--
				p.countCPU(amount{-1, -guessed}, amount{}, w.now)
				w.queue(e)
			}
		}
	}
	p.countCPU(amount{0, e.cost.CPU - guessed}, amount{}, w.now)
	return work + r.Cost.CPU, func() {
		if model > 0 {
			w.weighing.answered(r.Mode, model, r.Cost.CPU)
		}
		w.onPool--
		p.countCPU(amount{}, amount{1, e.cost.CPU}, w.now)
		w.took(e.sim, 0)
		w.again(1)
	}
}

// queue gives a query to the queues.
func (w *world) queue(e *entry) {
	p, mode := w.policy, w.record(e.sim).Mode
	if w.weighing.most[mode].Load() && !e.pinned {
		w.weighing.count(mode, p.gain(e, w.now))
	}
	p.add(e, w.arrivals[e.sim], w.s.Options.Deadline)
}
