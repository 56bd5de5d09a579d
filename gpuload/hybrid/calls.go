package hybrid

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/query"
)

// Search answers one query. It returns what Searcher.Search returns, or the errors of
// Submit. In an Executor that Open has opened, a query that finds no other is answered
// step by step on both processors (gpuload.Stepper). When the context is done it returns at
// once, unless the query has a filter.
func (x *Executor) Search(ctx context.Context, q query.Query) (r query.Result, err error) {
	ctx = orBackground(ctx)
	if err := x.hold(1); err != nil {
		return r, err
	}
	if err := x.complete(&q); err != nil {
		x.leave(1)
		return r, err
	}
	if d := x.gpu.Load(); d != nil && d.stepper != nil && !x.gone.Load() && x.held.Load() == 1 {
		return x.searchAlone(ctx, d.stepper, q)
	}
	if ctx.Done() != nil {
		q.RawTerms = cloneTerms(q.RawTerms) // the caller may change them while the query runs
	}
	j, err := x.prepare(ctx, &q)
	if err != nil {
		x.leave(1)
		return r, err
	}
	s := searches.Get().(*search)
	j.notify = s.notify
	turn := j.turn.Load()
	x.enter(j)
	if q.Filter != nil {
		err = <-s.done
	} else {
		select {
		case err = <-s.done:
		case <-ctx.Done():
			x.abandon(j, turn)
			return r, ctx.Err() // s stays with the job
		}
	}
	r.Hits, s.hits = s.hits, nil
	searches.Put(s)
	return r, err
}

// search is what waits for one answer.
type search struct {
	hits   []query.Hit
	done   chan error
	notify func([]query.Hit, error)
}

var searches = sync.Pool{New: func() any {
	s := &search{done: make(chan error, 1)}
	s.notify = func(hits []query.Hit, err error) {
		s.hits = hits
		s.done <- err
	}
	return s
}}

func cloneTerms(terms [][]byte) [][]byte {
	n := 0
	for _, t := range terms {
		n += len(t)
	}
	out, all := make([][]byte, len(terms)), make([]byte, 0, n)
	for i, t := range terms {
		all = append(all, t...)
		out[i] = all[len(all)-len(t):]
	}
	return out
}

// complete gives q what it leaves to defaults.
func (x *Executor) complete(q *query.Query) error {
	if q.Text == "" && q.K != 0 {
		return nil
	}
	own, err := x.cpu.Searcher().Complete([]query.Query{*q})
	if err != nil {
		return errors.Unwrap(err)
	}
	*q = own[0]
	return nil
}

// orBackground returns ctx, or context.Background instead of nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// abandon takes a job out of the queues if it waits there; the stock's are answered in vain. turn says which query of the
// job is meant.
func (x *Executor) abandon(j *job, turn uint64) {
	x.mu.Lock()
	waits := j.turn.Load() == turn && x.policy.remove(&j.entry)
	x.mu.Unlock()
	if waits {
		x.deliver(j, 0, nil, j.ctx.Err())
		x.leave(1)
	}
}

// Execute answers a batch, all queries concurrently. It waits while Options.Queue queries
// are in the Executor. If a query fails, it returns the error and no results.
//
// It is the way to the highest throughput: 64 queries or more are divided between the
// processors at once, without the queues. Call it with thousands of queries from as many
// goroutines as there are cores.
func (x *Executor) Execute(ctx context.Context, queries []query.Query) ([]query.Result, error) {
	return x.ExecuteInto(ctx, queries, nil)
}

// ExecuteInto is like Execute, but the results lie in a and are valid until its next use. If a is nil,
// they are allocated.
func (x *Executor) ExecuteInto(ctx context.Context, queries []query.Query, a *query.Arena) ([]query.Result, error) {
	if x.cpu == nil {
		return nil, ErrClosed
	}
	ctx = orBackground(ctx)
	queries, err := x.cpu.Searcher().Complete(queries)
	if err != nil {
		return nil, err
	}
	most := min(x.options.Queue, mostGroup)
	if len(queries) < leastGroup || most < leastGroup || x.options.Mode == Serial {
		return x.executeEach(ctx, queries, a)
	}
	results := a.Results(len(queries))
	var last *groupCall // two are in the Executor, so that neither processor waits for the end of one
	var failed error
	end := func() {
		if last != nil {
			if err := last.wait(); failed == nil {
				failed = err
			}
		}
	}
	for lo, hi := 0, 0; lo < len(queries) && failed == nil; lo = hi {
		hi = min(lo+most/2, len(queries))
		g, err := x.startGroup(ctx, queries[lo:hi], results[lo:hi], a, lo)
		end()
		if last = g; failed == nil {
			failed = err
		}
	}
	end()
	if failed != nil {
		return nil, failed
	}
	return results, nil
}

// executeEach answers queries through the queues.
func (x *Executor) executeEach(ctx context.Context, queries []query.Query, a *query.Arena) ([]query.Result, error) {
	b := &execution{x: x, results: a.Results(len(queries)), arena: a, done: make(chan struct{})}
	b.left.Store(1)
	share := min(256, x.options.Queue)
	for lo := 0; lo < len(queries) && b.err.Load() == nil; lo += share {
		b.submit(ctx, queries, lo, min(lo+share, len(queries)))
	}
	b.leave()
	<-b.done
	if err := b.err.Load(); err != nil {
		return nil, *err
	}
	return b.results, nil
}

// execution is a call of executeEach.
type execution struct {
	x       *Executor
	results []query.Result
	arena   *query.Arena
	left    atomic.Int64 // queries without an answer, plus one until all are submitted
	done    chan struct{}
	err     atomic.Pointer[error]
}

func (b *execution) fail(i int, err error) {
	err = fmt.Errorf("query %d: %w", i, err)
	b.err.CompareAndSwap(nil, &err)
}

func (b *execution) leave() {
	if b.left.Add(-1) == 0 {
		close(b.done)
	}
}

// submit starts queries lo up to hi.
func (b *execution) submit(ctx context.Context, queries []query.Query, lo, hi int) {
	x := b.x
	if err := x.await(ctx, hi-lo); err != nil {
		b.err.CompareAndSwap(nil, &err)
		return
	}
	for i := lo; i < hi; i++ {
		j, err := x.prepare(ctx, &queries[i])
		if err != nil {
			b.fail(i, err)
			x.leave(hi - i)
			break
		}
		b.left.Add(1)
		j.notify = func(hits []query.Hit, err error) {
			if err != nil {
				b.fail(i, err)
			} else if b.arena == nil {
				b.results[i].Hits = hits
			} else if len(hits) > 0 {
				b.results[i].Hits = append(b.arena.Hits(len(hits)), hits...)
			}
			b.leave()
		}
		x.enter(j)
	}
	x.pump()
}
