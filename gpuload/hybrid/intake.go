package hybrid

import (
	"slices"
	"sync/atomic"
)

// intake holds jobs that have arrived and that nobody has taken. Any goroutine may push; one
// at a time may take.
type intake struct{ last atomic.Pointer[job] }

// push adds a job and returns how many there are.
func (n *intake) push(j *job) int64 {
	for {
		old, number := n.last.Load(), int64(1)
		if old != nil {
			number += old.number.Load() // of another query, if it has been taken meanwhile
		}
		j.next = old
		j.number.Store(number)
		if n.last.CompareAndSwap(old, j) {
			return number
		}
	}
}

// len returns about how many jobs there are. It is 0 only if there are none.
func (n *intake) len() int64 {
	if j := n.last.Load(); j != nil {
		return max(j.number.Load(), 1)
	}
	return 0
}

// take removes all jobs and returns the first that arrived; next leads to the others.
func (n *intake) take() (first *job) {
	last := n.last.Swap(nil)
	for last != nil {
		last, last.next, first = last.next, first, last
	}
	return first
}

// Many queries that come one by one are divided like those that come together: without a
// decision, a prediction or a turn of the lock for each.

// enter lets a job in.
func (x *Executor) enter(j *job) {
	n := x.arrived.push(j)
	if x.bulk.crowded.Load() {
		if n%leastGroup == 0 && n >= x.bulk.gather.Load() {
			x.pump()
		}
	} else if n%leastGroup == 0 || x.hungry.Load() {
		x.pump()
	}
}

// arrive takes the jobs that have arrived, if enough have, and says whether they are for the
// stock, because so many wait. waiting is how many do in the queues.
func (x *Executor) arrive(waiting int) (first *job, many bool) {
	n := x.arrived.len()
	switch {
	case x.options.Mode == Serial || x.options.Queue < leastGroup:
	case !x.bulk.crowded.Load():
		many = n+int64(waiting) >= leastGroup
	case n < x.bulk.gather.Load():
		return nil, true
	default:
		many = true
	}
	return x.arrived.take(), many
}

// crowd puts jobs into the stock.
func (x *Executor) crowd(first *job) {
	for first != nil {
		var g *groupCall
		g, first = x.callOf(first)
		b := &x.bulk
		b.mu.Lock()
		b.done.Grouped += int64(len(g.jobs))
		b.stock.add(g)
		x.dispatch()
		x.unlock()
	}
}

// unlock ends a change of the stock, and lets jobs in that have waited for it.
func (x *Executor) unlock() {
	b := &x.bulk
	left, gather := b.stock.left, int64(b.stock.gather())
	if b.gather.Load() != gather {
		b.gather.Store(gather)
	}
	if more := left > 0; b.crowded.Load() != more {
		b.crowded.Store(more)
	}
	b.mu.Unlock()
	if x.arrived.len() >= gather {
		x.pump()
	}
}

// callOf makes a call of some jobs and returns the next.
func (x *Executor) callOf(first *job) (*groupCall, *job) {
	g, ok := x.bulk.calls.Get().(*groupCall)
	if !ok {
		g = &groupCall{x: x}
	}
	*g = groupCall{x: x, jobs: g.jobs[:0], queries: g.queries[:0], all: g.all[:0], pinned: g.pinned[:0], next: g.next, cost: g.cost}
	j := first
	for ; j != nil && len(g.jobs) < mostGroup/2; j = j.next {
		i := int32(len(g.jobs))
		g.jobs, g.queries = append(g.jobs, j), append(g.queries, j.q)
		if supported(&j.q) && x.options.Mode != OnlyCPU {
			g.all = append(g.all, i)
		} else {
			g.pinned = append(g.pinned, i)
		}
		g.arrive(j.at, j.after)
	}
	for _, j := range g.jobs {
		j.next = nil
	}
	n := len(g.jobs)
	g.hi = len(g.all)
	g.next, g.cost = slices.Grow(g.next[:0], n)[:n], slices.Grow(g.cost[:0], n)[:n]
	g.left.Store(int64(n))
	return g, j
}
