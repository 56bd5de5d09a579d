package gpuload

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pinion-index/pinion/query"
)

// GatherOptions tune a Gatherer. The zero value is good. In each field 0 or less means
// the default.
type GatherOptions struct {
	// Threshold is PARA's: a batch goes to the device when the shortest lists of its
	// queries have that many postings together. The default is the paper's, 1 Mi.
	Threshold int64
	// Queries bounds a batch. The default is 4,096.
	Queries int
	// Wait bounds how long a query waits for others. The default is 2 ms.
	Wait time.Duration
}

// Gatherer makes batches of queries that come one by one, from many goroutines: the
// computational threshold of PARA (Ao 2011 section 3.1). A batch goes to the device
// when the shortest lists of its queries have enough postings together, when it has
// enough queries, when its first query has waited long enough, or when the deadline of
// a query's context is as near as recent batches have taken. Batches follow each
// other without waiting: one is copied while the kernels of another run. It implements
// query.Executor and is safe for concurrent use.
type Gatherer struct {
	x       *Executor
	options GatherOptions
	ctx     context.Context
	cancel  context.CancelFunc
	runs    sync.WaitGroup
	found   sync.Pool // of *resolver

	mu      sync.Mutex
	closed  bool
	open    *gathering
	took    time.Duration // a batch, a moving average
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
	plan plan
	done chan error // takes one value
	sent bool       // it is in a batch, which owns the plan until done has a value
}

// GatherStats counts what a Gatherer did.
type GatherStats struct {
	Batches, Queries int64
	Took             time.Duration // a batch, a moving average
}

// NewGatherer returns a Gatherer over x. Close it before x.
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
	g.found.New = func() any { return &resolver{x: x} }
	return g
}

// Search answers one query as part of a batch. It returns when the answer is there or
// ctx is done, whichever is first.
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

// Execute answers queries, each as Search does, all at once.
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
	if err := g.x.enter(); err != nil {
		return nil, err
	}
	defer g.x.leave()
	w := &waiter{ctx: ctx, done: make(chan error, 1)}
	r := g.found.Get().(*resolver)
	err := r.resolve(&w.plan, q)
	g.found.Put(r)
	g.x.lists.look(w.plan.lists)
	w.sent = !w.plan.done && !w.plan.cpu
	return w, err
}

// add puts a query into the open batch.
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

// flush starts a batch unless that has been done.
func (g *Gatherer) flush(b *gathering) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == b && !g.closed {
		g.start(b)
	}
}

// start hands the open batch to a goroutine; mu is held.
func (g *Gatherer) start(b *gathering) {
	g.open = nil
	b.timer.Stop()
	g.runs.Add(1)
	go func() {
		defer g.runs.Done()
		g.run(b)
	}()
}

// run answers a batch, without the queries that nobody waits for any more.
func (g *Gatherer) run(b *gathering) {
	start := time.Now()
	plans := make([]*plan, 0, len(b.waiters))
	for _, w := range b.waiters {
		if w.ctx.Err() == nil {
			plans = append(plans, &w.plan)
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

// result waits for a query's answer, or answers it on the CPU.
func (g *Gatherer) result(w *waiter, q query.Query) (r query.Result, err error) {
	if w.sent {
		select {
		case err = <-w.done:
		case <-w.ctx.Done(): // the batch may still write the plan
			return r, w.ctx.Err()
		}
		if err != nil {
			return r, err
		}
	}
	if !w.plan.cpu {
		r.Hits = w.plan.hits
		return r, nil
	}
	results, err := g.x.onCPU(w.ctx, []query.Query{q})
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

// Close ends the queries under way with ErrClosed, as it does later ones, and returns
// when the device is done with the Gatherer's batches. Further calls do nothing.
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
