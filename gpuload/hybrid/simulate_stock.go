package hybrid

import "time"

// enter gives queries that have arrived to the queues, or to the stock if many wait, as
// Executor.arrive does.
func (w *world) enter() {
	for w.entered > 0 {
		s, many := &w.bulk.stock, true
		switch {
		case !w.divides() || s.left == 0:
			for w.entered > 0 && w.bypass(w.arrived-w.entered) {
				w.entered--
			}
			many = w.divides() && (w.entered+w.policy.waiting() >= leastGroup || w.policy.overload.now(w.now))
		case w.entered < s.gather():
			return
		}
		first, n := w.arrived-w.entered, w.entered
		if many {
			n = min(n, mostGroup/2)
			w.entered -= n
			w.group(first, n)
			continue
		}
		w.entered = 0
		for i := first; i < first+n; i++ {
			e := &entry{cost: w.predicted(i), pinned: w.record(i).Pinned, sim: i}
			e.cost.CPU = w.weighing.correct(w.record(i).Mode, e.cost.CPU)
			w.queue(e)
		}
		w.most = max(w.most, w.policy.waiting())
	}
}

// divides reports whether many queries are divided by the stock, as in Execute.
func (w *world) divides() bool {
	return w.s.Options.Mode != Serial && w.s.Options.Queue >= leastGroup
}

// group gives n queries to the stock.
func (w *world) group(first, n int) {
	g := &groupCall{first: first, single: w.left == nil, next: make([]int32, n), cost: make([]float32, n)}
	for i := range int32(n) {
		if w.s.Options.Mode == OnlyCPU || w.record(first+int(i)).Pinned {
			g.pinned = append(g.pinned, i)
		} else {
			g.all = append(g.all, i)
		}
		g.arrive(w.arrivals[first+int(i)], w.s.Options.Deadline)
	}
	g.hi = len(g.all)
	w.bulk.done.Grouped += int64(n)
	w.bulk.stock.add(g)
	w.share()
}

// share lets both processors take from the stock, as Executor.dispatch does.
func (w *world) share() {
	s := &w.bulk.stock
	w.bulk.most = max(w.bulk.most, s.left)
	w.observe()
	for b := s.takeGPU(w.now); b != nil; b = s.takeGPU(w.now) {
		w.bulkBatch(b)
	}
	for s.mayStart() {
		s.active++
		w.core()
	}
}

// observe tells the stock what the cores do, as Executor.observe does.
func (w *world) observe() {
	s := &w.bulk.stock
	s.observe(w.serving, w.now)
	if s.usage.due(w.now) {
		s.usage.observe(w.used, w.s.Workers, w.now)
	}
}

// bulkBatch answers a batch of the stock.
func (w *world) bulkBatch(b *bulkBatch) {
	numbers := make([]int, 0, b.n)
	for _, p := range b.parts {
		for _, i := range p.at {
			numbers = append(numbers, p.g.first+int(i))
		}
	}
	w.onGPU(numbers, func() {
		w.bulk.stock.finishGPU(b, true, w.now)
		w.bulk.done.Batches++
		w.bulk.done.GPU.Queries += int64(b.n)
		if !b.given {
			for _, p := range b.parts {
				w.answered(p, 1)
			}
		}
		w.share()
	})
}

func (w *world) answered(p portion, by int) {
	for _, i := range p.at {
		w.took(p.g.first+int(i), by)
	}
	w.again(len(p.at))
}

// weighTime is what a prediction takes a core.
const weighTime = 350 * time.Nanosecond

// core is a goroutine that answers on the CPU.
func (w *world) core() { w.ready = append(w.ready, simJob{start: w.errand, since: w.now}) }

// errand returns what a goroutine that answers on the CPU does next, as Executor.bulkCore.
func (w *world) errand() (work time.Duration, then func()) {
	s, e := &w.bulk.stock, new(errand)
	w.observe()
	switch {
	case !s.mustStop() && s.takeCPU(w.now, e, nil):
	case s.active == 1 && s.wanted():
		w.share()
		w.after(watchEach, w.core)
		return 0, nil
	default:
		s.active--
		w.share()
		return 0, nil
	}
	if s.mayStart() {
		s.active++
		w.core()
	}
	if e.weigh {
		return w.weigh(e)
	}
	return w.answer(e)
}

func (w *world) weigh(e *errand) (work time.Duration, then func()) {
	bins := make([]uint8, len(e.at))
	for k, i := range e.at {
		c := w.predicted(e.g.first + int(i))
		bins[k], e.g.cost[i] = binOf(c, float64(w.s.Workers)), float32(c.CPU)
	}
	begun := w.now
	return weighTime * time.Duration(len(e.at)), func() {
		w.bulk.stock.put(e, bins, w.now-begun)
		w.core()
	}
}

func (w *world) answer(e *errand) (work time.Duration, then func()) {
	for _, i := range e.at {
		work += w.record(e.g.first + int(i)).Cost.CPU
		if w.s.Callers == 0 {
			work += w.s.Options.Model.Queued
		}
	}
	begun := w.now
	return work, func() {
		w.bulk.stock.finishCPU(e, w.now-begun)
		w.bulk.done.CPU.Queries += int64(len(e.at))
		w.answered(e.portion, 0)
		w.core()
	}
}
