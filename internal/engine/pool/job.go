package pool

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/search"
)

// job is one query that a Pool has accepted.
type job struct {
	pool   *Pool
	x      *engine.Shared
	ctx    context.Context
	q      search.Query
	counts bool                      // only the total is wanted
	done   chan struct{}             // receives one value when the result is complete
	notify func([]search.Hit, error) // called instead, if not nil
	wanted func() bool               // of Offer
	state  atomic.Int32              // queued, begun or abandoned

	awaited atomic.Bool // the caller sleeps until it is done

	home *worker // keeps it as its spare one afterwards, unless nil

	_       [64]byte
	pending atomic.Int64 // tasks of the current pass that are not finished; changes often
	_       [64]byte
}

// States of a job.
const (
	queued    = iota
	begun     // a worker has taken it
	abandoned // its caller returned before that
)

func (p *Pool) newJob() any {
	threads := 1
	if p.options.Model != Inter {
		threads = p.options.Workers
	}
	return &job{pool: p, x: p.engine.NewQuery(threads, p.options.TaskPostings), done: make(chan struct{}, 1)}
}

// start makes j ready for q.
func (j *job) start(ctx context.Context, q *search.Query) {
	j.ctx, j.q = ctx, *q
	j.q.Trace, j.counts, j.notify, j.wanted = false, false, nil, nil
	j.awaited.Store(false)
	j.state.Store(queued)
}

// prepare makes j.x ready. The goroutine that is about to begin j does that rather than the one that submits it, which
// may do so for all workers, and would write to memory that is in their cores' caches.
func (j *job) prepare() {
	q := j.q.Engine()
	if j.counts {
		q.K, q.Columns, q.Params = 0, nil, engine.Params{} // nothing is scored
	}
	j.x.Begin(j.ctx, &q)
}

// end delivers the result. Afterwards j may serve another query.
func (j *job) end() {
	p, notify := j.pool, j.notify
	p.endTurn()
	if notify == nil {
		awaited := j.awaited.Load()
		j.done <- struct{}{}
		if awaited {
			runtime.Gosched() // busy workers would keep the caller from running
		}
		return
	}
	hits, _, err := engine.AppendTaskHits(j.x, []search.Hit(nil))
	notify(hits, err)
	p.recycle(j)
}

// drop ends j without an answer.
func (j *job) drop() {
	j.pool.endTurn()
	j.pool.recycle(j)
}

// endTurn lets the next query begin, if they take turns.
func (p *Pool) endTurn() {
	if p.options.Model.exclusive() {
		p.turn.Store(false)
	}
}

// wait waits for the result of j, appends its hits to dst and recycles j. It also sets r to the result, unless r is nil.
// If the context is done, it waits only for tasks in progress, not for j's turn.
func (p *Pool) wait(j *job, dst []search.Hit, r *search.Result) ([]search.Hit, uint64, error) {
	j.awaited.Store(true)
	select {
	case <-j.done:
	case <-j.ctx.Done():
		err := j.ctx.Err()
		if j.state.CompareAndSwap(queued, abandoned) {
			return dst, 0, err // the worker that finds it recycles it
		}
		j.x.Fail(err)
		<-j.done
	}
	dst, total, err := engine.AppendTaskHits(j.x, dst)
	if r != nil && err == nil {
		r.Hits, r.Total = dst, total
		err = p.searcher.AddColumns(r, &j.q, j.x.Extra())
	}
	p.recycle(j)
	return dst, total, err
}

// recycle makes j available for another query.
func (p *Pool) recycle(j *job) {
	j.x.Forget()
	w := j.home
	j.ctx, j.q, j.notify, j.wanted, j.home = nil, search.Query{}, nil, nil, nil
	if w != nil && w.spare == nil {
		w.spare = j
	} else {
		p.jobs.Put(j)
	}
	p.leave()
}
