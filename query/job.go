package query

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// job is one query in the hands of a Pool.
type job struct {
	pool   *Pool
	serial uint64 // tells queries apart that use the same job
	ctx    context.Context
	q      Query
	done   chan struct{}      // receives one value when the result stands
	notify func([]Hit, error) // called instead, if not nil
	hits   []Hit              // memory for what notify gets
	state  atomic.Int32       // queued, begun or abandoned

	awaited atomic.Bool // somebody sleeps until it is done

	lead run // resolves the terms and cuts the work; holds what terms refer to

	// Between split and the last task. What all tasks read all the time lies apart
	// from what each of them changes.
	_           [64]byte
	conjunctive bool
	halt        atomic.Bool   // the query has failed
	theta       atomic.Uint32 // bits of the best threshold of any task
	_           [64]byte
	pending     atomic.Int64 // tasks not finished
	_           [64]byte

	mu  sync.Mutex
	top topK
	err error
}

// States of a job.
const (
	queued    = iota
	begun     // a worker has taken it
	abandoned // its caller has gone before that
)

// start makes j ready for q.
func (j *job) start(ctx context.Context, q Query) {
	j.serial = j.pool.serial.Add(1)
	j.ctx, j.q, j.err = ctx, q, nil
	j.q.Trace, j.notify = nil, nil
	j.awaited.Store(false)
	j.halt.Store(false)
	j.state.Store(queued)
	j.lead.begin(ctx, j.pool.s, &j.q)
}

// pass begins And or Or. It reports false when there can be no matches.
func (j *job) pass(conjunctive bool) bool {
	j.conjunctive = conjunctive
	j.theta.Store(0)
	j.top.reset(j.lead.maxHits(), len(j.lead.terms))
	return !conjunctive || !j.lead.unknown()
}

// fail ends the query with err unless it has failed before.
func (j *job) fail(err error) {
	if err == nil {
		return
	}
	j.mu.Lock()
	if j.err == nil {
		j.err = err
	}
	j.mu.Unlock()
	j.halt.Store(true)
}

// collect adds a task's hits and empties t.
func (j *job) collect(t *topK) {
	if len(t.heap) == 0 {
		return
	}
	j.mu.Lock()
	for _, key := range t.heap {
		h := keyHit(key)
		j.top.offer(h.Doc, h.Score)
	}
	theta := j.top.theta
	j.mu.Unlock()
	t.heap = t.heap[:0]
	publish(&j.theta, theta)
}

// end hands over the result. j may be another query's after it.
func (j *job) end() {
	p, notify := j.pool, j.notify
	if p.exclusive() {
		p.turn.Store(false)
	}
	if notify == nil {
		awaited := j.awaited.Load()
		j.done <- struct{}{}
		if awaited {
			runtime.Gosched() // busy workers would keep the caller from going on
		}
		return
	}
	hits, err := j.result(j.hits[:0])
	j.hits = hits
	notify(hits, err)
	p.recycle(j)
}

// result appends the hits to dst, or returns the query's error.
func (j *job) result(dst []Hit) ([]Hit, error) {
	if j.err != nil {
		return dst, j.err
	}
	return j.top.appendHits(dst), nil
}

// publish raises a shared threshold to theta. Thresholds that matter are positive,
// so their bits order as they do.
func publish(shared *atomic.Uint32, theta float32) {
	if theta <= 0 {
		return
	}
	bits := math.Float32bits(theta)
	for {
		old := shared.Load()
		if bits <= old || shared.CompareAndSwap(old, bits) {
			return
		}
	}
}

// finished is called when the last task of a pass is done. It reports whether the
// query is; otherwise Or is to follow And.
func (j *job) finished() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err != nil || !j.conjunctive || j.q.Mode == And || len(j.top.heap) >= j.top.k
}
