package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query/internal/engine/topk"
	"github.com/pinion-index/pinion/store"
)

// Shared is the state of one query that all its workers share. A query takes one pass or two: a conjunction, a
// disjunction, or a disjunction after a conjunction with too few hits.
//
// Only one goroutine at a time may call Begin, Resolve, Start, Matches and Cut, and only while no task is in progress. The
// other methods are safe for concurrent use.
type Shared struct {
	s   *Searcher
	use uint64 // increases with each query that it is used for
	ctx context.Context

	lead execution // resolves the terms and cuts the passes; holds what terms refer to

	// All tasks read these fields often: they have a cache line of their own.
	_           [64]byte
	conjunctive bool
	halt        atomic.Bool   // the query has failed
	theta       atomic.Uint32 // bits of the best threshold of any task
	_           [64]byte

	mu  sync.Mutex
	top topk.TopK
	err error
}

// Begin makes x ready for q.
func (x *Shared) Begin(ctx context.Context, q *Query) {
	x.use++
	x.ctx, x.err = ctx, nil
	x.top.Heap = x.top.Heap[:0] // a query that failed has left hits
	x.halt.Store(false)
	x.lead.begin(ctx, x.s, q)
}

// Forget drops all references of the query.
func (x *Shared) Forget() {
	x.lead.forget()
	x.ctx = nil
}

// Resolve looks up the terms, unless the query has failed.
func (x *Shared) Resolve() (err error) {
	if x.Failed() {
		return nil
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return x.lead.resolve()
}

// Conjunctive reports, after Resolve, whether the first pass is a conjunction.
func (x *Shared) Conjunctive() bool { return x.lead.q.Mode != Or }

// Start begins a pass. It returns false if no document can match.
func (x *Shared) Start(conjunctive bool) bool {
	r := &x.lead
	x.conjunctive = conjunctive
	x.theta.Store(0)
	x.top.Reset(r.maxHits(), len(r.terms))
	r.Top.Reset(x.top.K, len(r.terms))
	r.Top.Shared = &x.theta
	return !conjunctive || !r.unknown()
}

// Matches reports whether the pass may match documents of a segment.
func (x *Shared) Matches(segment int) bool { return x.lead.enter(segment, x.conjunctive) }

// Cut cuts the pass over a segment, for which Matches is true, into ranges and passes them to c in ascending
// order.
func (x *Shared) Cut(segment int, c algorithm.Cutter) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	r := &x.lead
	n := 1
	if !x.conjunctive {
		n = len(r.Lists)
	}
	if !r.Open(n) {
		return r.Err
	}
	if x.conjunctive {
		algorithm.CutBlocks(r.Lists[0], c)
	} else {
		r.CutDocs(c)
	}
	return nil
}

// Done reports, after all tasks of a pass, whether the query is done; if not, a disjunction follows.
func (x *Shared) Done() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err != nil || !x.conjunctive || x.lead.q.Mode == And || len(x.top.Heap) >= x.top.K
}

// Fail ends the query with err, unless err is nil or the query has failed before.
func (x *Shared) Fail(err error) {
	if err == nil {
		return
	}
	x.mu.Lock()
	if x.err == nil {
		x.err = err
	}
	x.mu.Unlock()
	x.halt.Store(true)
}

// Failed reports whether the query has failed.
func (x *Shared) Failed() bool { return x.halt.Load() }

// collect adds the hits of t and empties it.
func (x *Shared) collect(t *topk.TopK) {
	if len(t.Heap) == 0 {
		return
	}
	x.mu.Lock()
	for _, key := range t.Heap {
		h := topk.KeyHit(key)
		x.top.Offer(h.Doc, h.Score)
	}
	theta := x.top.Theta
	x.mu.Unlock()
	t.Heap = t.Heap[:0]
	topk.Publish(&x.theta, theta)
}
