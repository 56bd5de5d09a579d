package hybrid

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// intake holds jobs that have arrived and that nobody has taken. Any goroutine may push; one
// at a time may take. Goroutines on different cores seldom use the same shard: at millions of
// queries a second the cores' common cache lines are the limit.
type intake struct {
	shards [intakeShards]shard
	next   atomic.Int64 // a shard for another core
	mine   sync.Pool    // of *shard: the one that this core used last
	_      [64]byte
	many   atomic.Int64 // jobs, in multiples of intakeStep for each shard
}

const intakeShards, intakeStep = 16, 16

type shard struct {
	mu   sync.Mutex
	jobs []*job
	n    atomic.Int64 // of jobs
	_    [88]byte
}

// push adds a job and returns how many there are in its shard.
func (n *intake) push(j *job) int {
	s, ok := n.mine.Get().(*shard)
	if !ok {
		s = &n.shards[uint64(n.next.Add(1))%intakeShards]
	}
	s.mu.Lock()
	s.jobs = append(s.jobs, j)
	k := len(s.jobs)
	s.n.Store(int64(k))
	if k%intakeStep == 0 {
		n.many.Add(intakeStep)
	}
	s.mu.Unlock()
	n.mine.Put(s)
	return k
}

// len returns how many jobs there are.
func (n *intake) len() (sum int64) {
	for i := range n.shards {
		sum += n.shards[i].n.Load()
	}
	return sum
}

// reaches reports whether there are at least so many jobs, or nearly.
func (n *intake) reaches(least int64) bool {
	return n.many.Load() >= least || least < 2*intakeShards*intakeStep && n.len() >= least
}

// take removes all jobs, appends them to dst, and returns that.
func (n *intake) take(dst []*job) []*job {
	for i := range n.shards {
		s := &n.shards[i]
		if s.n.Load() == 0 {
			continue
		}
		s.mu.Lock()
		dst = append(dst, s.jobs...)
		n.many.Add(-int64(len(s.jobs) / intakeStep * intakeStep))
		clear(s.jobs)
		s.jobs = s.jobs[:0]
		s.n.Store(0)
		s.mu.Unlock()
	}
	return dst
}

// Many queries that come one by one are divided like those that come together: without a
// decision, a prediction or a turn of the lock for each.

// enter lets a job in.
func (x *Executor) enter(j *job) {
	if x.bypass(j) {
		return
	}
	n := x.arrived.push(j)
	switch step := n%intakeStep == 0; {
	case x.bulk.crowded.Load():
		if step && x.arrived.reaches(x.bulk.gather.Load()) {
			x.pump()
		}
	case step || x.hungry.Load():
		x.pump()
	}
}

// arrive takes the jobs that have arrived, if enough have, and says whether they are for the
// stock, because so many wait or the cores have too much to do. waiting is how many wait in the
// queues. x.mu must be held.
func (x *Executor) arrive(waiting int) (jobs []*job, many bool) {
	divides, crowded := x.options.Mode != Serial && x.options.Queue >= leastGroup, x.bulk.crowded.Load()
	if divides && crowded && !x.arrived.reaches(x.bulk.gather.Load()) {
		return nil, true
	}
	x.arrivals = x.arrived.take(x.arrivals[:0])
	n := len(x.arrivals)
	many = divides && (crowded || n+waiting >= leastGroup || n > 0 && x.policy.overload.now(x.now()))
	return x.arrivals, many
}

// crowd puts jobs into the stock. It reports whether there are goroutines to yield to.
func (x *Executor) crowd(jobs []*job) (begun bool) {
	for len(jobs) > 0 {
		n := min(len(jobs), mostGroup/2)
		g := x.callOf(jobs[:n])
		jobs = jobs[n:]
		b := &x.bulk
		b.mu.Lock()
		b.done.Grouped += int64(n)
		b.stock.add(g)
		x.dispatch()
		begun = x.release() || begun
	}
	return begun
}

// unlock ends a change of the stock, lets jobs in that have waited for it, and yields to the
// goroutines that were started: Go runs them on this core, if no other is idle.
func (x *Executor) unlock() {
	if x.release() {
		runtime.Gosched()
	}
}

// release is unlock without the yield, and reports whether there is something to yield to.
func (x *Executor) release() (begun bool) {
	b := &x.bulk
	left, gather := b.stock.left, int64(b.stock.gather())
	change(&b.gather, gather)
	if more := left > 0; b.crowded.Load() != more {
		b.crowded.Store(more)
	}
	first, done := b.stock.gpuDone()
	change(&b.gpuDone[0], int64(first))
	change(&b.gpuDone[1], int64(done))
	begun, b.begun = b.begun, false
	b.mu.Unlock()
	if x.arrived.reaches(gather) {
		x.pump()
	}
	return begun
}

// callOf makes a call of jobs.
func (x *Executor) callOf(jobs []*job) *groupCall {
	g, ok := x.bulk.calls.Get().(*groupCall)
	if !ok {
		g = &groupCall{x: x}
	}
	*g = groupCall{x: x, single: true, jobs: append(g.jobs[:0], jobs...), queries: g.queries[:0], all: g.all[:0], pinned: g.pinned[:0], next: g.next, cost: g.cost}
	for i, j := range jobs {
		g.queries = append(g.queries, j.q)
		if supported(&j.q) && x.options.Mode != OnlyCPU {
			g.all = append(g.all, int32(i))
		} else {
			g.pinned = append(g.pinned, int32(i))
		}
		g.arrive(j.at, j.after)
	}
	n := len(jobs)
	g.hi = len(g.all)
	g.next, g.cost = slices.Grow(g.next[:0], n)[:n], slices.Grow(g.cost[:0], n)[:n]
	g.left.Store(int64(n))
	return g
}
