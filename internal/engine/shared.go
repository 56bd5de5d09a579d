package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/topk"
	"github.com/pinion-index/pinion/internal/indexdir"
)

// Shared is the state of one query that all its workers share. A query takes one pass or two: a conjunction, a
// disjunction, or a disjunction after a conjunction with too few hits. Queries that want columns may take others
// (shared_columns.go).
//
// Only one goroutine at a time may call Begin, Resolve, Start, Matches, Units, Cut, Next and Count, and only while no task
// is in progress. The other methods are safe for concurrent use.
type Shared struct {
	s   *Searcher
	use uint64 // increases with each query that it is used for
	scanning
	ctx context.Context

	lead execution // resolves the terms and cuts the passes; holds what terms refer to

	// All tasks read these fields often: they have a cache line of their own.
	_           [64]byte
	kind        stepKind
	conjunctive bool
	at          int           // the step of the plan
	pass        int           // its number
	halt        atomic.Bool   // the query has failed
	theta       atomic.Uint32 // bits of the best threshold of any task
	_           [64]byte

	units []unitsOf // of the pass by segment, if it is one over columns

	mu    sync.Mutex
	top   topk.TopK
	total uint64 // of the matches, if it is wanted
	extra *Extra // if columns are wanted
	err   error
}

// Begin makes x ready for q.
func (x *Shared) Begin(ctx context.Context, q *Query) {
	x.use++
	x.ctx, x.total, x.extra, x.err, x.pass = ctx, 0, nil, nil, 0
	x.top.Heap = x.top.Heap[:0] // a query that failed has left hits
	x.halt.Store(false)
	x.lead.begin(ctx, x.s, q)
	x.lead.scanning = x.scanning
}

// Forget drops all references of the query.
func (x *Shared) Forget() {
	if x.lead.q.Columns != nil {
		x.lead.forgetColumns()
		clear(x.units)
	}
	x.lead.forget()
	x.ctx, x.extra, x.top.Ties = nil, nil, nil
}

// Resolve looks up the terms, unless the query has failed, and chooses the first pass.
func (x *Shared) Resolve() (err error) {
	if x.Failed() {
		return nil
	}
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if err := (resolving{&x.lead}).resolve(); err != nil {
		return err
	}
	x.top.Ties = x.lead.Top.Ties
	if err := x.lead.plan(); err != nil {
		return err
	}
	x.extra, x.at = x.lead.extra, 0
	if x.enterStep(); len(x.lead.steps) > 0 && x.lead.steps[0].pages {
		collapsing{&x.lead}.beginGroups()
	}
	return nil
}

// enterStep makes the step at x.at the one that tasks are of. It returns false if they do no more of the plan.
func (x *Shared) enterStep() bool {
	if x.at == len(x.lead.steps) || x.lead.steps[x.at].kind == totalled {
		return false
	}
	s := &x.lead.steps[x.at]
	x.kind, x.conjunctive = s.kind, s.conjunctive
	return true
}

// OnlyTotal reports whether there is nothing for tasks to do.
func (x *Shared) OnlyTotal() bool { return !x.enterStep() }

// Count sets the total of the matches, if that is the last step, after all passes.
func (x *Shared) Count() (err error) {
	r := &x.lead
	if n := len(r.steps); x.Failed() || n == 0 || r.steps[n-1].kind != totalled {
		return nil
	}
	defer func() { r.blame(&err) }()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	x.mu.Lock()
	hits, most := len(x.top.Heap), x.top.K
	x.mu.Unlock()
	x.total, err = counting{r}.totalWith(hits, most)
	return err
}

// Conjunctive reports whether the pass finds scored hits of a conjunction.
func (x *Shared) Conjunctive() bool { return x.conjunctive }

// Start begins the pass. It returns false if no document can match.
func (x *Shared) Start() (some bool, err error) {
	r := &x.lead
	x.pass++
	if x.kind != scored {
		return x.startColumns()
	}
	x.theta.Store(0)
	x.top.Reset(r.maxHits(), r.addends())
	r.Top.Reset(x.top.K, r.addends())
	r.Top.Shared = &x.theta
	return !x.conjunctive || !resolving{r}.unknown(), nil
}

// Matches reports whether a pass of scored hits may match documents of a segment.
func (x *Shared) Matches(segment int) bool { return x.lead.enter(segment, x.conjunctive) }

// Cut cuts a pass of scored hits over a segment, for which Matches is true, into ranges and passes them to c in ascending
// order.
func (x *Shared) Cut(segment int, c algorithm.Cutter) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	r := &x.lead
	return r.Cut(r.Run.Plan(x.conjunctive), c)
}

// Next reports, after all tasks of a pass, whether another one follows, and chooses it.
func (x *Shared) Next() (more bool, err error) {
	if x.Failed() {
		return false, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.lead.q.Columns != nil {
		if again, err := x.endOfColumns(); again || err != nil {
			return again, err
		}
	}
	for x.at++; x.enterStep(); x.at++ {
		if !x.lead.steps[x.at].fewer || len(x.top.Heap) < x.top.K {
			return true, nil
		}
	}
	return false, nil
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
