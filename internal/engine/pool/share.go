package pool

import (
	"time"
)

// This file says how the workers share the CPUs with others: with who submits queries, and with what serves a GPU.

const (
	// While all CPUs are busy, who submits queries and the system wait for milliseconds. So the workers of the last
	// eighth, of at least 8 CPUs, sleep until reserveAt queries wait for each worker, unless these take at least longQuery: then more
	// time is won by waking them.
	reserveAt = 4
	longQuery = 50 * time.Microsecond

	timedOf = 32 // of so many queries a worker measures one
)

// reserves reports whether submitted queries wait rather than wake the last workers.
func (p *Pool) reserves() bool {
	return p.options.Model == Inter && p.sleeping.len() <= p.reserve && p.entry.len() < reserveAt*len(p.workers) &&
		p.typical.Load() < int64(longQuery)
}

// Rest makes n workers, but not all, leave their CPUs to goroutines that must run at once, such as those that serve a
// GPU: these workers sleep though queries may wait, and without a P of Go's scheduler, though it takes longer to wake
// many. 0 undoes that.
func (p *Pool) Rest(n int) {
	n = min(max(n, 0), len(p.workers)-1)
	if before := int(p.rest.Swap(int64(n))); n < before {
		p.wake(before - n)
	}
}

// resting returns how many workers Rest says.
func (p *Pool) resting() int { return int(p.rest.Load()) }

// excess puts w into sleeping, though queries may wait, and reports true if fewer workers sleep than Rest says.
func (w *worker) excess() bool {
	p := w.pool
	n := p.resting()
	if n == 0 || p.options.Model != Inter || p.sleeping.len() >= n || w.box.Load() != nil {
		return false
	}
	w.tasks.Forget()
	p.sleeping.add(w.index)
	if p.sleeping.len() <= n && !p.ended.Load() {
		return true
	}
	return !p.sleeping.remove(w.index) // else somebody wakes it
}

// Room reports whether a query that is submitted now would soon begin: a worker spins, or few queries wait.
func (p *Pool) Room() bool {
	return !p.spinning.empty() || p.entry.len() < reserveAt*(len(p.workers)-p.resting())
}
