package hybrid

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/search"
)

// Search answers one query. It returns what Searcher.Search returns, or the errors of
// Submit. In an Executor that Open has opened, a query that finds no other is answered
// step by step on both processors (gpu.Stepper). When the context is done it returns at
// once, unless the query has a filter.
func (x *Executor) Search(ctx context.Context, q search.Query) (r search.Result, err error) {
	if x.cpu == nil {
		return r, ErrClosed
	}
	ctx = orBackground(ctx)
	if wantsColumns(q) {
		return x.searchColumns(ctx, q)
	}
	if q.Total {
		return x.searchTotal(ctx, q)
	}
	return x.search(ctx, q)
}

// search is Search for a query that wants nothing of columns. It may leave its total uncounted.
func (x *Executor) search(ctx context.Context, q search.Query) (r search.Result, err error) {
	j := x.newJob()
	p := j.part
	if err := x.gate.admit(p, 1); err != nil {
		x.jobs.put(j)
		return r, err
	}
	if d := x.gpu.Load(); d != nil && d.stepper != nil && !x.gone.Load() && p.held.Load() == 1 && x.gate.held() == 1 {
		x.jobs.put(j)
		return x.searchAlone(ctx, p, d.stepper, q)
	}
	if ctx.Done() != nil && q.Filter == nil {
		var own copies // the caller may change its own while the query runs
		own.add(&q)
		q = own.queries[0]
	}
	if err := j.set(ctx, &q); err != nil {
		j.drop()
		return r, err
	}
	type answer struct {
		r   search.Result
		err error
	}
	done := make(chan answer, 1)
	j.notify = func(hits []search.Hit, total uint64, err error) {
		done <- answer{search.Result{Hits: hits, Total: total}, err}
	}
	j.enter()
	ended := ctx.Done()
	if q.Filter != nil {
		ended = nil
	}
	select {
	case a := <-done:
		return a.r, a.err
	case <-ended:
		return r, ctx.Err()
	}
}

// orBackground returns ctx, or context.Background instead of nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// Execute answers a batch, all queries concurrently. It waits while Options.Queue queries
// are in the Executor. If a query fails, it returns the error and no results.
//
// It is the way to the highest throughput: 64 queries or more are divided between the
// processors at once. Call it with thousands of queries from as many goroutines as there are cores.
func (x *Executor) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	return x.ExecuteInto(ctx, queries, nil)
}

// completeAll is complete of many queries, on several cores. It does not change them.
func completeAll(s *search.Searcher, queries []search.Query, workers int) ([]search.Query, error) {
	n := len(queries)
	parts := min(workers, n/leastGroup)
	if parts < 2 || !slices.ContainsFunc(queries, func(q search.Query) bool { return q.Text != "" }) {
		return s.Complete(queries)
	}
	own, errs := make([]search.Query, n), make([]error, parts)
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() {
			lo, hi := i*n/parts, (i+1)*n/parts
			some, err := s.Complete(queries[lo:hi])
			copy(own[lo:hi], some)
			var of *search.NumberError
			if errors.As(err, &of) {
				err = &search.NumberError{Number: lo + of.Number, Err: of.Err}
			}
			errs[i] = err
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return own, nil
}

// Numbers of queries in a group.
const (
	leastGroup = 64
	mostGroup  = 1 << 16
)

// ExecuteInto is like Execute, but the results lie in a and are valid until its next use. If a is nil,
// they are allocated.
func (x *Executor) ExecuteInto(ctx context.Context, queries []search.Query, a *search.Arena) ([]search.Result, error) {
	if x.cpu == nil {
		return nil, ErrClosed
	}
	ctx = orBackground(ctx)
	if slices.ContainsFunc(queries, wantsColumns) {
		return x.executeColumns(ctx, queries, a)
	}
	if slices.ContainsFunc(queries, wantsTotal) {
		return x.executeTotals(ctx, queries, a)
	}
	return x.execute(ctx, queries, a)
}

// execute is ExecuteInto for queries that want nothing of columns. It may leave totals uncounted.
func (x *Executor) execute(ctx context.Context, queries []search.Query, a *search.Arena) ([]search.Result, error) {
	queries, err := completeAll(x.cpu.Searcher(), queries, x.workers)
	if err != nil {
		return nil, err
	}
	for i := range queries {
		if err := queries[i].CheckPart(x.ofPart); err != nil {
			return nil, &search.NumberError{Number: i, Err: err}
		}
	}
	most := min(x.options.Queue, mostGroup)
	if len(queries) < leastGroup || most < leastGroup {
		return x.executeEach(ctx, queries, a)
	}
	results := a.Results(len(queries))
	for lo, hi := 0, 0; lo < len(queries); lo = hi {
		hi = min(lo+most, len(queries))
		if err := x.executeGroup(ctx, queries, results, a, lo, hi); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// executeGroup answers queries lo up to hi as a group.
func (x *Executor) executeGroup(ctx context.Context, queries []search.Query, results []search.Result, a *search.Arena, lo, hi int) error {
	n, p := hi-lo, x.gate.part()
	if err := x.gate.await(ctx, p, n); err != nil {
		return err
	}
	defer x.gate.leave(p, n)
	x.grouped.Add(int64(n))
	g := &group{x: x, ctx: ctx, queries: queries[lo:hi], results: results[lo:hi], arena: a, first: lo, begun: x.now(), after: x.within(ctx),
		part: p, done: make(chan struct{}), hi: n, left: n}
	return g.answer()
}

// executeEach answers queries one by one.
func (x *Executor) executeEach(ctx context.Context, queries []search.Query, a *search.Arena) ([]search.Result, error) {
	results := a.Results(len(queries))
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	room := func(p *part, n int) error { return x.gate.await(ctx, p, n) }
	fail := func(err error) { failed.CompareAndSwap(nil, &err) }
	for i := range queries {
		all.Add(1)
		if err := x.begin(ctx, &queries[i], room, func(hits []search.Hit, total uint64, err error) {
			defer all.Done()
			results[i].Total = total
			switch {
			case err != nil:
				fail(&search.NumberError{Number: i, Err: err})
			case a == nil:
				results[i].Hits = hits
			case len(hits) > 0:
				results[i].Hits = append(a.Hits(len(hits)), hits...)
			}
		}); err != nil {
			all.Done()
			fail(&search.NumberError{Number: i, Err: err})
			break
		}
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	return results, nil
}
