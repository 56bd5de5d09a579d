package gpu

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/search"
)

// execution is a call of Execute. Its queries are cut into shares of a batch's size. A few
// goroutines take one after the other: they look its terms up, answer it and collect its
// results, so that the device works on the first shares while others are prepared and read.
type execution struct {
	x       *Executor
	ctx     context.Context
	queries []search.Query
	results []search.Result
	arena   *search.Arena // of the hits; may be nil
	share   int           // queries in each
	helpers int           // goroutines that look up the terms of a share
	within  *within       // of all queries; nil: all documents
	asking  asking        // what queries ask for beside terms

	mu     sync.Mutex
	next   int    // the first query that no share has yet
	failed error  // of the first share that failed
	at     int    // its first query
	misfit []left // queries whose lists did not fit beside those of others
	onCPU  []left // queries that the device cannot answer
	broken error  // of the device
	lost   bool   // the device answers no more
}

// Execute answers queries and returns one Result for each, in the same order. If a query
// fails, it returns the error and no results. A nil ctx means context.Background, as for all
// methods.
func (x *Executor) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	return x.ExecuteInto(ctx, queries, nil)
}

// ExecuteInto is like Execute, but the results lie in a and are valid until its next use. If a is nil,
// they are allocated.
func (x *Executor) ExecuteInto(ctx context.Context, queries []search.Query, a *search.Arena) ([]search.Result, error) {
	return x.execute(ctx, queries, a.Results(len(queries)), a)
}

// execute answers queries. The hits of results lie in a.
func (x *Executor) execute(ctx context.Context, queries []search.Query, results []search.Result, a *search.Arena) ([]search.Result, error) {
	ctx = orBackground(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := x.enter(); err != nil {
		return nil, err
	}
	defer x.leave()
	return (&execution{x: x, ctx: ctx, queries: queries, results: results, arena: a}).execute()
}

// execute answers the queries, between enter and leave.
func (e *execution) execute() ([]search.Result, error) {
	x := e.x
	var err error
	if e.queries, err = x.complete(e.queries); err != nil {
		return nil, err
	}
	ok, err := x.works(e.ctx)
	if err != nil {
		return nil, err
	}
	x.working.Add(1)
	defer x.working.Add(-1)
	e.asking.x = x
	defer e.asking.free()
	e.lost = !ok
	shares := e.run()
	if e.failed == nil && len(e.misfit) > 0 {
		e.alone(shares > 1)
	}
	if e.failed == nil && ok {
		e.failed = x.settle(nil, e.broken)
	}
	if e.failed == nil && len(e.onCPU) > 0 {
		e.finish()
	}
	if e.failed != nil {
		return nil, e.failed
	}
	return e.results, nil
}

// run answers the queries in shares, and returns their number.
func (e *execution) run() (shares int) {
	n, stages := len(e.queries), stages.Count
	e.share = min(max(n/(2*stages)+1, leastQueries), batchQueries)
	shares = (n + e.share - 1) / e.share
	goroutines := min(shares, stages)
	e.helpers = max(1, runtime.GOMAXPROCS(0)/max(goroutines, 1))
	e.x.working.join(goroutines, func(int) { e.work() })
	return shares
}

// work answers shares until there are no more.
func (e *execution) work() {
	c, ok := e.x.crews.Get().(*crew)
	if !ok {
		c = new(crew)
	}
	for {
		e.mu.Lock()
		lo := e.next
		hi := min(lo+e.share, len(e.queries))
		e.next = hi
		done := lo == hi || e.failed != nil
		e.mu.Unlock()
		if done {
			break
		}
		if err := e.answer(c, lo, hi); err != nil {
			e.fail(lo, err)
			break
		}
	}
	e.x.crews.Put(c)
}

// fail records the error of the share from query lo on.
func (e *execution) fail(lo int, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failed == nil || lo < e.at {
		e.failed, e.at = err, lo
	}
}

// answer answers the queries from lo up to hi.
func (e *execution) answer(c *crew, lo, hi int) error {
	x := e.x
	c.plans, c.use, c.asks = slices.Grow(c.plans[:0], hi-lo)[:hi-lo], c.use[:0], false
	c.scratch.arena = e.arena
	defer c.forget()
	c.resolve(x, e.queries[lo:hi], e.helpers)
	for i := range c.plans {
		p := &c.plans[i]
		if p.err != nil {
			return &search.NumberError{Number: lo + i, Err: p.err}
		}
		e.within.of(p)
		c.use, c.asks = append(c.use, p), c.asks || p.ask != nil
	}
	e.mu.Lock()
	lost := e.lost
	e.mu.Unlock()
	if lost {
		toCPU(c.use, ReasonNoDevice)
	} else if err := e.onDevice(c); err != nil {
		return err
	}
	var misfit, onCPU []left
	for i := range c.plans {
		p := &c.plans[i]
		if err := p.orderTies(x.snapshot); err != nil {
			return &search.NumberError{Number: lo + i, Err: err}
		}
		switch {
		case p.why == reasonMisfit:
			misfit = append(misfit, left{lo + i, p.why})
		case p.why != OnDevice:
			onCPU = append(onCPU, left{lo + i, p.why})
		default:
			e.results[lo+i].Hits, e.results[lo+i].Total = p.hits, p.total
		}
	}
	if len(misfit)+len(onCPU) > 0 {
		e.mu.Lock()
		e.misfit, e.onCPU = append(e.misfit, misfit...), append(e.onCPU, onCPU...)
		e.mu.Unlock()
	}
	return nil
}

// onDevice answers c.use on the device, or marks them for the CPU if it fails.
func (e *execution) onDevice(c *crew) error {
	var err error
	if c.asks {
		err = e.asking.give(e.ctx, c.use)
	}
	if err == nil {
		err = c.scratch.onDevice(e.ctx, e.x, c.use)
	}
	if !errors.Is(err, ErrDevice) && !errors.Is(err, ErrMemory) {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.broken == nil || errors.Is(err, ErrDevice) {
		e.broken = err
	}
	e.lost = e.lost || errors.Is(err, ErrDevice)
	toCPU(c.use, failure(err))
	return nil
}

// alone answers the misfits: without the lists of other shares, if there were any, theirs
// may fit. The CPU answers those that still do not.
func (e *execution) alone(others bool) {
	slices.SortFunc(e.misfit, left.compare)
	rest := e.misfit
	if others {
		again := &execution{x: e.x, ctx: e.ctx, arena: e.arena, helpers: 1, lost: e.lost, within: e.within}
		for _, i := range rest {
			again.queries = append(again.queries, e.queries[i.query])
		}
		again.results = make([]search.Result, len(again.queries))
		again.asking.x = e.x
		defer again.asking.free()
		if err := again.answer(new(crew), 0, len(rest)); err != nil {
			e.failed = numbered(err, numbers(rest))
			return
		}
		if again.broken != nil {
			e.broken = again.broken
		}
		still := append(again.misfit, again.onCPU...)
		for i, r := range again.results {
			e.results[rest[i].query] = r
		}
		for i := range still {
			still[i].query = rest[still[i].query].query
		}
		rest = still
	}
	e.onCPU = append(e.onCPU, rest...)
}

// finish answers what is left on the CPU.
func (e *execution) finish() {
	slices.SortFunc(e.onCPU, left.compare)
	rest := make([]search.Query, len(e.onCPU))
	for i, l := range e.onCPU {
		rest[i] = e.queries[l.query]
		e.x.left[l.why].Add(1)
	}
	if e.failed = e.within.filter(e.ctx, rest); e.failed != nil {
		return
	}
	var p plan
	if e.x.options.CPU == nil { // the error says why the device cannot
		p = e.x.resolve(rest[:1])[0]
		p.why = e.onCPU[0].why
	}
	r, err := e.byCPU(rest, &p)
	if err != nil {
		var failed *search.NumberError
		if !errors.As(err, &failed) && (len(rest) == 1 || e.x.options.CPU == nil) {
			err = &search.NumberError{Err: err} // the first
		}
		e.failed = numbered(err, numbers(e.onCPU))
		return
	}
	for i, l := range e.onCPU {
		e.results[l.query] = r[i]
	}
}

// byCPU answers queries with Options.CPU. p is the plan of the first.
func (e *execution) byCPU(queries []search.Query, p *plan) ([]search.Result, error) {
	x := e.x
	if x.options.CPU != nil {
		x.working.Add(-1)
		defer x.working.Add(1)
		begun := time.Now()
		r, err := x.options.CPU.Execute(e.ctx, queries)
		x.scarcity.answered(x.options.CPU, len(queries), time.Since(begun))
		return r, err
	}
	return nil, p.refusal(x.lists)
}

// numbered returns an error of some queries with the number that its query has among all, which
// index gives.
func numbered(err error, index []int) error {
	var failed *search.NumberError
	if errors.As(err, &failed) && uint(failed.Number) < uint(len(index)) {
		return &search.NumberError{Number: index[failed.Number], Err: failed.Err}
	}
	return err
}

// left is a query of an execution that is left to the CPU, by its number.
type left struct {
	query int
	why   Reason
}

func (l left) compare(o left) int { return l.query - o.query }

// numbers returns the numbers of queries.
func numbers(some []left) []int {
	index := make([]int, len(some))
	for i, l := range some {
		index[i] = l.query
	}
	return index
}
