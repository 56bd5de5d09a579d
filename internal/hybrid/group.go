package hybrid

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
)

// groups says who answers calls of Execute: the cores, the GPU, or both.
type groups struct {
	gpu     atomic.Bool  // the GPU does
	cores   atomic.Int64 // and so many cores
	at      atomic.Int64 // when that was decided
	active  atomic.Int64 // calls
	helping atomic.Int64 // cores
	tried   atomic.Int64 // when a core last answered some
	idle    atomic.Int64 // the GPU gets nothing until then
	memory  sync.Pool    // of *copies
}

const (
	planFor  = time.Millisecond
	tryAfter = time.Second
	adds     = 1.2 // times what one processor answers: both do
	helpSize = 16  // queries that a core takes at a time
	leastAsk = 128
	firstAsk = 256 // while the GPU's rate is not known
)

func (s *groups) plan(gpu bool, cores int) {
	s.gpu.Store(gpu)
	s.cores.Store(int64(cores))
}

// plan decides who answers groups: the processor that is predicted to answer more, or both if that adds a fifth and what
// serves the GPU takes less than a quarter of the cores, which would hold it up otherwise.
func (x *Executor) plan(now time.Duration) {
	s := &x.groups
	s.at.Store(int64(now))
	if x.gone.Load() {
		s.plan(false, x.workers)
		return
	}
	if x.options.Mode == OnlyGPU {
		s.plan(true, 0)
		return
	}
	x.load.mu.Lock()
	x.load.look(x, now)
	hosts := x.load.hosts
	x.load.mu.Unlock()
	each := x.load.core()
	all, free := float64(x.workers), max(float64(x.workers)*3/4-hosts, 0)
	gpu, batch, ok := x.meter.rate()
	both := gpu + free/each
	if hosts >= all/4 {
		both = 0
	}
	switch {
	case now < time.Duration(s.idle.Load()):
		s.plan(false, x.workers)
	case !ok:
		s.plan(true, max(x.workers-1, 1))
	case both > adds*max(gpu, all/each):
		s.plan(true, max(int(free), 1))
	case all/each > gpu:
		s.plan(false, x.workers)
		s.idle.Store(int64(now + max(leastRetry, retryAfter*telling*batch)))
		x.meter.reset()
	case now-time.Duration(s.tried.Load()) > tryAfter:
		s.plan(true, 1)
	default:
		s.plan(true, 0)
	}
}

// group is a call of Execute. The GPU takes its queries from the front, cores take them from the back.
type group struct {
	x       *Executor
	ctx     context.Context
	queries []search.Query
	results []search.Result
	arena   *search.Arena // for their hits; may be nil
	first   int           // of the queries, in the call
	begun   time.Duration
	after   time.Duration // deadline after begun; 0: none
	part    *part         // counts them
	done    chan struct{}

	mu              sync.Mutex
	lo, hi          int            // not taken
	pinned          []int32        // only for cores
	filter          *docset.Global // the first
	asking, helpers int            // batches on the GPU, cores
	left            int            // queries without answers
	err             error
}

// answer answers the queries.
func (g *group) answer() error {
	x := g.x
	x.groups.active.Add(1)
	defer x.groups.active.Add(-1)
	g.staff()
	select {
	case <-g.done:
	case <-g.ctx.Done():
		g.mu.Lock()
		g.fail(-1, g.ctx.Err())
		g.mu.Unlock()
		<-g.done
	}
	return g.err
}

// staff lets processors begin with what nobody has taken, as planned.
func (g *group) staff() {
	x, s := g.x, &g.x.groups
	now := x.now()
	if now-time.Duration(s.at.Load()) > planFor {
		x.plan(now)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	gpu := s.gpu.Load() && !x.gone.Load()
	asks := 1
	if s.active.Load() == 1 { // one is laid out while the device works on another
		asks = 2
	}
	for gpu && g.asking < asks && g.lo < g.hi {
		at := g.takeGPU(g.share())
		if len(at) == 0 {
			break
		}
		g.asking++
		go g.ask(at)
	}
	for {
		work := len(g.pinned) + g.hi - g.lo
		must := g.helpers == 0 && (len(g.pinned) > 0 || work > 0 && g.asking == 0)
		may := work > g.helpers*helpSize && s.helping.Load() < s.cores.Load()
		if !must && !may {
			return
		}
		g.helpers++
		s.helping.Add(1)
		go g.help()
	}
}

// share returns how many queries the GPU takes next: as many as it answers while the cores answer the rest.
func (g *group) share() int {
	x, s := g.x, &g.x.groups
	n := g.hi - g.lo
	rate, _, ok := x.meter.rate()
	if !ok && x.options.Mode != OnlyGPU {
		return min(n, firstAsk, x.options.Batch)
	}
	if s.active.Load() == 1 {
		n = n/2 + 1
	}
	if cores := s.cores.Load(); cores > 0 {
		n = int(float64(n) * rate / (rate + float64(cores)/x.load.core()))
	}
	return min(max(n, leastAsk), x.options.Batch)
}

// takeGPU takes up to n queries for the GPU. g.mu must be held.
func (g *group) takeGPU(n int) (at []int32) {
	for ; g.lo < g.hi && len(at) < n; g.lo++ {
		q := &g.queries[g.lo]
		if g.filter == nil {
			g.filter = q.Filter
		}
		why := gpu.Refuse(q)
		if why == gpu.OnDevice && q.Filter != g.filter { // the GPU makes a table of each
			why = gpu.Lone(q)
		}
		if why == gpu.OnDevice {
			at = append(at, int32(g.lo))
			continue
		}
		g.x.gate.refuse(why)
		g.pinned = append(g.pinned, int32(g.lo))
	}
	return at
}

// ask lets the GPU answer queries.
func (g *group) ask(at []int32) {
	x := g.x
	c, ok := x.groups.memory.Get().(*copies)
	if !ok {
		c = new(copies)
	}
	c.reset()
	for _, i := range at {
		c.add(&g.queries[i])
	}
	g.part.taken[1].Add(int64(len(at)))
	if x.ask(c, len(at) >= leastAsk, func(results []search.Result, err error) {
		n := 0
		if err == nil {
			n = answered(at, results)
			g.keep(at[:n], results)
			x.late(g.begun, g.after, 1, n)
		}
		at, rest := at[:n], at[n:]
		g.mu.Lock()
		g.asking--
		if len(rest) > 0 {
			x.again.Add(int64(len(rest)))
			g.pinned = append(g.pinned, rest...)
			if g.err != nil {
				g.fail(-1, g.err) // nobody else takes them
			}
		}
		g.answered(len(at))
	}) {
		x.groups.memory.Put(c)
	}
}

// keep copies results of some queries.
func (g *group) keep(at []int32, results []search.Result) {
	n := 0
	for k := range at {
		n += len(results[k].Hits)
	}
	slab := g.arena.Hits(n)
	for k, i := range at {
		g.results[i].Total = results[k].Total
		if hits := results[k].Hits; len(hits) > 0 {
			lo := len(slab)
			slab = append(slab, hits...)
			g.results[i].Hits = slab[lo:len(slab):len(slab)]
		}
	}
}

// help answers queries on a core.
func (g *group) help() {
	x, s := g.x, &g.x.groups
	var at [helpSize]int32
	var results [helpSize]search.Result
	var hits []search.Hit
	for {
		g.mu.Lock()
		n := g.takeCPU(at[:])
		if n == 0 || g.helpers > 1 && s.helping.Load() > max(s.cores.Load(), 1) {
			g.pinned = append(g.pinned, at[:n]...)
			g.helpers--
			s.helping.Add(-1)
			g.answered(0)
			return
		}
		g.mu.Unlock()
		begun := x.now()
		hits = hits[:0]
		for k, i := range at[:n] {
			lo := len(hits)
			var err error
			if hits, err = x.cpu.Searcher().AppendHits(g.ctx, hits, &g.queries[i]); err != nil {
				g.mu.Lock()
				g.fail(int(i), err)
				g.mu.Unlock()
			}
			results[k] = search.Result{Hits: hits[lo:len(hits):len(hits)]}
			if g.queries[i].Total {
				results[k].Total = uncounted
			}
		}
		g.keep(at[:n], results[:n])
		now := x.now()
		s.tried.Store(int64(now))
		x.load.learn((now - begun) / time.Duration(n))
		g.part.taken[0].Add(int64(n))
		x.late(g.begun, g.after, 0, n)
		g.mu.Lock()
		g.answered(n)
		if x.lanes.serving.Load() > 0 {
			runtime.Gosched()
		}
	}
}

// takeCPU takes up to len(at) queries for a core and returns how many. g.mu must be held.
func (g *group) takeCPU(at []int32) (n int) {
	for ; n < len(at) && len(g.pinned) > 0; n++ {
		at[n] = g.pinned[len(g.pinned)-1]
		g.pinned = g.pinned[:len(g.pinned)-1]
	}
	if g.x.groups.cores.Load() == 0 && g.asking > 0 {
		return n // the GPU answers the others
	}
	for ; n < len(at) && g.lo < g.hi; n++ {
		g.hi--
		at[n] = int32(g.hi)
	}
	return n
}

// fail ends the call with the error of query i, or with one that is not of a query. g.mu must be held.
func (g *group) fail(i int, err error) {
	if g.err == nil {
		if g.err = err; i >= 0 {
			g.err = &search.NumberError{Number: g.first + i, Err: err}
		}
	}
	g.left -= g.hi - g.lo + len(g.pinned)
	g.lo, g.pinned = g.hi, nil
	g.finish()
}

// answered counts n queries with answers, and sees to the others. It unlocks g.mu, which must be held.
func (g *group) answered(n int) {
	g.left -= n
	g.finish()
	more := g.lo < g.hi || len(g.pinned) > 0
	g.mu.Unlock()
	if more {
		g.staff()
	}
}

// finish ends the call if it is done. g.mu must be held.
func (g *group) finish() {
	if g.left == 0 && g.asking == 0 && g.helpers == 0 {
		g.left = -1 // once
		close(g.done)
	}
}
