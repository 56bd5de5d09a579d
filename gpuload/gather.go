package gpuload

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pinion-index/pinion/query"
)

// GatherOptions configure a Gatherer. The zero value selects the defaults, and so does a
// value of 0 or less in any field.
type GatherOptions struct {
	// Threshold is the computational threshold of PARA: a batch is sent to the device
	// when the shortest lists of its queries have this many postings in total. The
	// default is 1 Mi, as in the paper.
	Threshold int64
	// Queries is the maximum number of queries in a batch. The default is 4,096.
	Queries int
	// Wait is the maximum time that a query waits for others. The default is 2 ms.
	Wait time.Duration
}

// Gatherer collects queries from many goroutines into batches, as PARA does with its
// computational threshold (Ao 2011 section 3.1). A batch is sent to the device when the
// shortest lists of its queries have GatherOptions.Threshold postings in total, when it
// is full, when its first query has waited for GatherOptions.Wait, or when the deadline
// of a query's context is only about twice the time of recent batches away. Batches
// overlap: one is copied while the kernels of another run. A Gatherer implements
// query.Executor and is safe for concurrent use.
type Gatherer struct {
	x       *Executor
	options GatherOptions
	ctx     context.Context
	cancel  context.CancelFunc
	runs    sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	open    *gathering
	took    time.Duration // per batch, moving average
	batches int64
	queries int64
}

// gathering is a batch that is still open.
type gathering struct {
	waiters  []*waiter
	postings int64
	due      time.Time
	timer    *time.Timer
}

// waiter is one query of a batch.
type waiter struct {
	ctx  context.Context
	plan *plan
	done chan error // receives one value
	sent bool       // it belongs to a batch, which owns the plan until done has a value
}

// GatherStats are the counters of a Gatherer.
type GatherStats struct {
	Batches, Queries int64
	Took             time.Duration // per batch, moving average
}

// NewGatherer returns a Gatherer that uses x. Close it before x.
func NewGatherer(x *Executor, o GatherOptions) *Gatherer {
	if o.Threshold <= 0 {
		o.Threshold = 1 << 20
	}
	if o.Queries <= 0 {
		o.Queries = 4096
	}
	if o.Wait <= 0 {
		o.Wait = 2 * time.Millisecond
	}
	g := &Gatherer{x: x, options: o}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g
}

// Search answers one query as part of a batch. It returns when the query has been
// answered or ctx is done, whichever happens first.
func (g *Gatherer) Search(ctx context.Context, q query.Query) (query.Result, error) {
	w, err := g.resolve(ctx, &q)
	if err != nil {
		return query.Result{}, err
	}
	if w.sent {
		if err := g.add(w); err != nil {
			return query.Result{}, err
		}
	}
	return g.result(w, q)
}

// Execute answers queries, each as Search does, concurrently. If a query fails, it
// returns the error and no results.
func (g *Gatherer) Execute(ctx context.Context, queries []query.Query) ([]query.Result, error) {
	results, waiters := make([]query.Result, len(queries)), make([]*waiter, len(queries))
	for i := range queries {
		w, err := g.resolve(ctx, &queries[i])
		if err == nil && w.sent {
			err = g.add(w)
		}
		if err != nil {
			return nil, fmt.Errorf("query %d: %w", i, err)
		}
		waiters[i] = w
	}
	for i, w := range waiters {
		var err error
		if results[i], err = g.result(w, queries[i]); err != nil {
			return nil, fmt.Errorf("query %d: %w", i, err)
		}
	}
	return results, nil
}

func (g *Gatherer) resolve(ctx context.Context, q *query.Query) (*waiter, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if g.ctx.Err() != nil {
		return nil, ErrClosed
	}
	if err := g.x.enter(); err != nil {
		return nil, err
	}
	defer g.x.leave()
	w := &waiter{ctx: ctx, plan: new(plan), done: make(chan error, 1)}
	r := g.x.resolver()
	err := r.resolve(w.plan, q)
	g.x.found.Put(r)
	w.sent = !w.plan.done && !w.plan.cpu
	return w, err
}

// add appends a query to the open batch.
func (g *Gatherer) add(w *waiter) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return ErrClosed
	}
	b := g.open
	if b == nil {
		b = &gathering{due: time.Now().Add(g.options.Wait)}
		b.timer = time.AfterFunc(g.options.Wait, func() { g.flush(b) })
		g.open = b
	}
	b.waiters = append(b.waiters, w)
	b.postings += w.plan.weight.first
	if b.postings >= g.options.Threshold || len(b.waiters) >= g.options.Queries {
		g.start(b)
		return nil
	}
	if at, ok := w.ctx.Deadline(); ok {
		if at = at.Add(-2 * g.took); at.Before(b.due) {
			b.due = at
			b.timer.Reset(max(time.Until(at), 0))
		}
	}
	return nil
}

// flush starts a batch unless it has been started.
func (g *Gatherer) flush(b *gathering) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == b && !g.closed {
		g.start(b)
	}
}

// start runs the open batch in a goroutine. g.mu must be held.
func (g *Gatherer) start(b *gathering) {
	g.open = nil
	b.timer.Stop()
	g.runs.Add(1)
	go func() {
		defer g.runs.Done()
		g.run(b)
	}()
}

// run answers a batch, except for queries whose context is done.
func (g *Gatherer) run(b *gathering) {
	start := time.Now()
	plans := make([]*plan, 0, len(b.waiters))
	for _, w := range b.waiters {
		if w.ctx.Err() == nil {
			plans = append(plans, w.plan)
		}
	}
	err := g.x.enter()
	if err == nil {
		err = g.x.answer(g.ctx, plans)
		g.x.leave()
	}
	if err != nil && g.ctx.Err() != nil {
		err = ErrClosed
	}
	for _, w := range b.waiters {
		w.done <- err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.batches++
	g.queries += int64(len(plans))
	g.took += (time.Since(start) - g.took) / 8
}

// result waits for the answer to a query, or answers it on the CPU.
func (g *Gatherer) result(w *waiter, q query.Query) (r query.Result, err error) {
	if w.sent {
		select {
		case err := <-w.done:
			if err != nil {
				return r, err
			}
		case <-w.ctx.Done(): // the batch may still write the plan
			return r, w.ctx.Err()
		}
	}
	if !w.plan.cpu {
		r.Hits = w.plan.hits
		return r, nil
	}
	results, err := g.x.onCPU(w.ctx, []query.Query{q}, w.plan)
	if err != nil {
		return r, err
	}
	return results[0], nil
}

// Stats returns the counters.
func (g *Gatherer) Stats() GatherStats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return GatherStats{g.batches, g.queries, g.took}
}

// Close makes running and later queries fail with ErrClosed and waits until the device
// has finished the Gatherer's batches. Further calls do nothing.
func (g *Gatherer) Close() {
	g.mu.Lock()
	g.closed = true
	b := g.open
	g.open = nil
	g.mu.Unlock()
	g.cancel()
	if b != nil {
		b.timer.Stop()
		for _, w := range b.waiters {
			w.done <- ErrClosed
		}
	}
	g.runs.Wait()
}
