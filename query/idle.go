package query

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// How long an idle worker of a Pool looks for work before it sleeps, unless
// PoolOptions say otherwise. Waking up takes 0.1 to 0.2 ms where the CPUs are virtual
// or sleep deeply. A query whose tasks wait for that on all cores takes twice as
// long, so FineGrained waits out pauses that are longer.
const (
	DefaultSpinFor     = 100 * time.Microsecond
	DefaultFineSpinFor = 2 * time.Millisecond
)

const (
	// looks are what an idle worker does between two looks at the clock, each after
	// pauses moments of relax.
	looks  = 16
	pauses = 4

	// fanOut is how many workers one wakes at once, at about a microsecond each. More
	// are woken by those.
	fanOut = 16

	expectedUnit = 16
)

// freeProcs is how many of n threads of Go's scheduler sleeping workers leave alone,
// for goroutines that are not the Pool's.
func freeProcs(n int) int { return max(1, n/8) }

// workerSet is a set of a Pool's workers, by index. It is safe for concurrent use.
type workerSet []atomic.Uint64

func newWorkerSet(n int) workerSet { return make(workerSet, (n+63)/64) }

func (s workerSet) add(i int) { s[i/64].Or(1 << (i % 64)) }

func (s workerSet) has(i int) bool { return s[i/64].Load()>>(i%64)&1 != 0 }

// remove takes i out and reports whether it was in the set.
func (s workerSet) remove(i int) bool {
	return s[i/64].And(^(uint64(1)<<(i%64)))>>(i%64)&1 != 0
}

// first takes out the least of the set, -1 if there is none.
func (s workerSet) first() int {
	for at := range s {
		for v := s[at].Load(); v != 0; v = s[at].Load() {
			if i := 64*at + bits.TrailingZeros64(v); s.remove(i) {
				return i
			}
		}
	}
	return -1
}

// last takes out the greatest of the set, -1 if there is none.
func (s workerSet) last() int {
	for at := len(s) - 1; at >= 0; at-- {
		for v := s[at].Load(); v != 0; v = s[at].Load() {
			if i := 64*at + 63 - bits.LeadingZeros64(v); s.remove(i) {
				return i
			}
		}
	}
	return -1
}

func (s workerSet) len() int {
	n := 0
	for i := range s {
		n += bits.OnesCount64(s[i].Load())
	}
	return n
}

func (s workerSet) empty() bool {
	for i := range s {
		if s[i].Load() != 0 {
			return false
		}
	}
	return true
}

// A worker without work is in one of two sets. In spinning it looks for work by
// itself. In sleeping it does not, so who makes work wakes it: takes it out and
// wakes its sleeper. A caller that waits for an answer takes a worker out of either
// to work in its place (Pool.borrow), and puts it into sleeping again.

// rest returns when there may be work for w.
func (w *worker) rest() {
	p := w.pool
	start := time.Now()
	if w.spin(start) {
		return
	}
	w.forget()
	p.sleeping.add(w.index)
	if !w.available() || !p.sleeping.remove(w.index) {
		w.sleeper.sleep()
	}
	w.patience = min(p.options.SpinFor, DefaultSpinFor)
	if time.Since(start) < p.options.SpinFor { // it would have been worth while
		w.patience = p.options.SpinFor
	}
}

// spin looks for work while w's patience lasts, and reports whether there may be
// some.
func (w *worker) spin(start time.Time) bool {
	p := w.pool
	if p.options.SpinFor < 0 || p.spinning.len() >= p.mostSpinning {
		return w.available()
	}
	p.spinning.add(w.index)
	for n := 1; ; n++ {
		found := w.available()
		late := n%looks == 0 && time.Since(start) > w.patience
		switch {
		case w.sleeper.woken():
			return true
		case !p.spinning.has(w.index): // a caller has w, or has put it into sleeping
			w.sleeper.sleep()
			return true
		case !found && !late:
			relax(pauses)
			if n%looks == 0 {
				yieldCPU() // another thread may have been put on this CPU
			}
		case p.spinning.remove(w.index):
			return found
		}
	}
}

// available reports whether there may be work for w.
func (w *worker) available() bool {
	p := w.pool
	entry := p.entry.len() > 0 && !(p.exclusive() && p.turn.Load())
	return entry || w.own.len() > 0 || p.tasks.len() > 0 || p.scoring.len() > 0 || p.ended.Load()
}

// forget drops what w knows of the last query.
func (w *worker) forget() {
	w.last, w.run.terms, w.run.q, w.run.part = attached{}, nil, nil, nil
}

// wake wakes workers for n pieces of work. Those that spin find some by themselves.
func (p *Pool) wake(n int) {
	if p.sleeping.empty() {
		return
	}
	for n = min(n, fanOut) - p.spinning.len(); n > 0; n-- {
		i := p.sleeping.first()
		if i < 0 {
			return
		}
		p.workers[i].sleeper.wake()
	}
}

// foreseen returns how many tasks the next query will have, by what the last ones
// had: so many workers are woken before it is known. It is 0 if woken workers do
// not wait for them.
func (p *Pool) foreseen() int {
	if p.options.SpinFor < 0 {
		return 0
	}
	return int(p.expected.Load() / expectedUnit)
}

// spread wakes workers for what waits, after the caller took a piece of it: he may
// be the one whom others relied on to find it.
func (p *Pool) spread() {
	if !p.sleeping.empty() && !p.exclusive() {
		p.wake(p.entry.len() + p.tasks.len() + p.scoring.len())
	}
}

// unpark wakes w if it sleeps.
func (p *Pool) unpark(w *worker) {
	if p.sleeping.remove(w.index) {
		w.sleeper.wake()
	}
}

// borrow returns an idle worker for a caller to work in its place, for query j at
// once; nil if all are busy or other queries wait.
func (p *Pool) borrow() *worker {
	if p.entry.len() > 0 || p.tasks.len() > 0 || p.exclusive() && !p.turn.CompareAndSwap(false, true) {
		return nil
	}
	i := p.sleeping.last()
	if i < 0 {
		if i = p.spinning.last(); i >= 0 {
			p.spread()
		}
	}
	if i >= 0 {
		return p.workers[i]
	}
	if p.exclusive() {
		p.turn.Store(false)
	}
	return nil
}

// giveBack ends what borrow began.
func (p *Pool) giveBack(w *worker) {
	w.forget()
	p.sleeping.add(w.index)
	if w.available() {
		p.unpark(w)
	}
}
