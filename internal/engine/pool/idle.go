package pool

import (
	"runtime"
	"time"
)

// DefaultSpinFor and DefaultFineSpinFor, for FineGrained, are the defaults of Options.SpinFor.
// Waking takes 0.1 to 0.2 ms if the CPUs are virtual or sleep deeply. A query whose tasks wait
// that long on all cores takes twice as long, so workers of FineGrained spin longer.
const (
	DefaultSpinFor     = 100 * time.Microsecond
	DefaultFineSpinFor = 2 * time.Millisecond
)

const (
	// An idle worker reads the clock after every looks-th look for work, and calls
	// relax(pauses) between two looks.
	looks  = 16
	pauses = 4

	// fanOut is how many workers a goroutine wakes at once, at about a microsecond each. They
	// wake the others.
	fanOut = 16

	expectedUnit = 16 // unit of Pool.expected: 1/expectedUnit task

	// While no worker is parked, all may hold Ps, and Go preempts them only after 10 ms, in the midst of a query,
	// which then waits as long. So each yields between two queries, or two looks for one, once it has had a turn.
	// Shorter turns while busy cost too much: with 100 microseconds 16 workers answered a fifth less.
	busyTurn = time.Millisecond
	idleTurn = 50 * time.Microsecond

	// A busy worker reads the clock for that after up to mostStride steps: doing it after each of the shortest queries
	// takes 3 % of their time.
	mostStride = 16
)

// freeProcs returns how many of the n Ps of Go's scheduler the workers leave to other
// goroutines.
func freeProcs(n int) int { return max(1, n/8) }

// A worker without work is in one of two sets. A worker in spinning looks for work; one of model Inter does so in a
// box of its own (box.go). A worker in sleeping does not: a goroutine that creates work takes it out of the set and wakes its
// sleeper. A caller that waits for an answer takes a worker out of either set and works in its
// place (Pool.borrow); afterwards it puts the worker into sleeping. Sleepers in the set parked hold no P.

// rest returns when there may be work for w.
func (w *worker) rest() {
	p := w.pool
	start := time.Now()
	if w.spin(start) {
		return
	}
	w.tasks.Forget()
	p.sleeping.add(w.index)
	if !w.available() || !p.sleeping.remove(w.index) {
		w.sleep()
	}
	w.patience = min(p.options.SpinFor, DefaultSpinFor)
	if time.Since(start) < p.options.SpinFor { // spinning that long would have paid
		w.patience = p.options.SpinFor
	}
}

// sleep returns when w has been woken.
func (w *worker) sleep() {
	parks := w.parks()
	if parks {
		w.pool.parked.add(w.index)
	}
	w.sleeper.sleep(!parks)
	if parks {
		w.pool.parked.remove(w.index)
	}
}

// parks reports whether w, which is about to sleep, must not hold a P meanwhile. Of model Inter these are the first
// that sleep, since they wake last; where all workers share a query, the last by index, since all wake.
func (w *worker) parks() bool {
	p := w.pool
	switch {
	case p.resting() > 0:
		return true
	case p.options.Model == Inter:
		return p.parked.len() < p.mustPark
	}
	return w.index >= len(p.workers)-p.mustPark
}

// stepped is called after each step of a busy worker. It gives way in time.
func (w *worker) stepped() {
	if w.unread++; w.unread < w.stride {
		return
	}
	w.unread = 0
	before := w.looked
	w.giveWay(busyTurn)
	switch took := w.looked.Sub(before); {
	case took < busyTurn/16:
		w.stride = min(2*w.stride, mostStride)
	case took > busyTurn/4:
		w.stride = 1
	}
}

// giveWay lets other goroutines run on w's P if w has had a turn that long since it last did, and they may have no
// other. Workers that share a query keep theirs.
func (w *worker) giveWay(turn time.Duration) {
	if w.due(turn) {
		runtime.Gosched()
	}
}

// due reports whether giveWay has to, and notes that it does.
func (w *worker) due(turn time.Duration) bool {
	p := w.pool
	if p.options.Model != Inter || p.mustPark == 0 || !p.parked.empty() && p.resting() == 0 {
		return false
	}
	w.looked = time.Now()
	if w.looked.Sub(w.yielded) < turn {
		return false
	}
	w.yielded = w.looked
	return true
}

// spin looks for work until w's patience is exhausted, and reports whether there may be some.
func (w *worker) spin(start time.Time) bool {
	p := w.pool
	if p.options.SpinFor < 0 || p.spinning.len() >= p.mostSpinning || p.sleeping.len() < p.resting() {
		return w.available()
	}
	p.spinning.add(w.index)
	if p.options.Model == Inter {
		return w.waitAtBox(start)
	}
	for n := 1; ; n++ {
		found := w.available()
		late := n%looks == 0 && time.Since(start) > w.patience
		switch {
		case w.sleeper.woken():
			return true
		case !p.spinning.has(w.index): // a caller borrows w, or has put it into sleeping
			w.sleep()
			return true
		case !found && !late:
			relax(pauses)
			if n%looks == 0 {
				yieldCPU() // another thread may wait for this CPU
				w.giveWay(idleTurn)
			}
		case p.spinning.remove(w.index):
			return found
		}
	}
}

// available reports whether there may be work for w.
func (w *worker) available() bool {
	p := w.pool
	entry := p.entry.len() > 0 && !(p.options.Model.exclusive() && p.turn.Load())
	return entry || w.own.len() > 0 || p.tasks.len() > 0 || p.scoring.len() > 0 || p.ended.Load()
}

// wake wakes workers for n pieces of work, minus those that spinning workers will find. Those that are
// parked, which take longest, come last.
func (p *Pool) wake(n int) {
	if p.sleeping.empty() || p.options.Model == Inter && p.sleeping.len() <= p.resting() {
		return
	}
	for n = min(n, fanOut) - p.spinning.len(); n > 0; n-- {
		i := p.sleeping.firstBut(p.parked)
		if i < 0 {
			i = p.sleeping.first()
		}
		if i < 0 {
			return
		}
		p.rouse(p.workers[i])
	}
}

// foreseen predicts the number of tasks of the next query from the last ones, so that workers
// wake while it is being cut. It is 0 if woken workers would stop spinning before that.
func (p *Pool) foreseen() int {
	if p.options.SpinFor < 0 {
		return 0
	}
	return int(p.expected.Load() / expectedUnit)
}

// spread wakes workers for waiting work after the caller took a piece of it: the goroutine that
// created the work may have relied on the caller to take all of it.
func (p *Pool) spread() {
	if !p.sleeping.empty() && !p.options.Model.exclusive() && !p.reserves() {
		p.wake(p.entry.len() + p.tasks.len() + p.scoring.len())
	}
}

// unpark wakes w if it is sleeping.
func (p *Pool) unpark(w *worker) {
	if p.sleeping.remove(w.index) {
		p.rouse(w)
	}
}

// rouse wakes w, which the caller has taken out of sleeping.
func (p *Pool) rouse(w *worker) {
	p.parked.remove(w.index)
	w.sleeper.wake()
}

// borrow returns an idle worker, in whose place the caller works on its query at once. It
// returns nil if all workers are busy or other queries wait.
func (p *Pool) borrow() *worker {
	if p.entry.len() > 0 || p.tasks.len() > 0 || p.options.Model.exclusive() && !p.turn.CompareAndSwap(false, true) {
		return nil
	}
	i := p.sleeping.last()
	if i < 0 {
		if i = p.spinning.last(); i >= 0 {
			if p.options.Model == Inter {
				p.workers[i].box.Store(&p.lent)
			}
			p.spread()
		}
	}
	if i >= 0 {
		return p.workers[i]
	}
	if p.options.Model.exclusive() {
		p.turn.Store(false)
	}
	return nil
}

// giveBack returns a borrowed worker.
func (p *Pool) giveBack(w *worker) {
	w.tasks.Forget()
	p.sleeping.add(w.index)
	if w.available() {
		p.unpark(w)
	}
}
