package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
	"github.com/pinion-index/pinion/query/internal/engine/topk"
	"github.com/pinion-index/pinion/query/internal/exec"
	"github.com/pinion-index/pinion/store"
)

// This file executes queries in tasks, for package pool. Package exec documents the methods.

// Tasks implements exec.Engine, but for what depends on package query.
type Tasks struct {
	s       *Searcher // held
	closed  atomic.Bool
	batches sync.Pool // of *exec.Batch with *matches
}

// Tasks returns s as an engine of tasks. It holds the snapshot until Close.
func (s *Searcher) Tasks() (*Tasks, error) { return &Tasks{s: s}, s.hold() }

// Close lets go of the snapshot. Further calls do nothing.
func (e *Tasks) Close() {
	if !e.closed.Swap(true) {
		e.s.release()
	}
}

func (e *Tasks) NewQuery() exec.Query { return &sharedQuery{s: e.s} }

func (e *Tasks) NewWorker() exec.Worker { return &taskWorker{engine: e} }

func (e *Tasks) Begin(ctx context.Context, x exec.Query, q *Query) { x.(*sharedQuery).begin(ctx, q) }

// AppendTaskHits is AppendHits for a query that was executed in tasks.
func AppendTaskHits[H topk.AnyHit](x exec.Query, dst []H) ([]H, error) {
	q := x.(*sharedQuery)
	if q.err != nil {
		return dst, q.err
	}
	return topk.Append(dst, &q.top), nil
}

func (e *Tasks) AppendLengths(dst []uint64, terms [][]byte) ([]uint64, error) {
	return e.s.AppendLengths(dst, terms)
}

func (e *Tasks) Docs() (n uint64) {
	for i := range e.s.parts {
		n += uint64(e.s.parts[i].Seg.Docs())
	}
	return n
}

func (e *Tasks) Segments() int { return e.s.Segments() }

func (e *Tasks) Segment(i int) (base, docs uint32) {
	seg := e.s.parts[i].Seg
	return seg.Base(), seg.Docs()
}

// batch returns an empty batch for matches in lists lists.
func (e *Tasks) batch(segment, lists int) *exec.Batch {
	b, ok := e.batches.Get().(*exec.Batch)
	if !ok {
		b = &exec.Batch{Matches: new(algorithm.Matches)}
	}
	b.Segment = segment
	b.Matches.(*algorithm.Matches).Reset(lists)
	return b
}

// sharedQuery implements exec.Query.
type sharedQuery struct {
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

func (x *sharedQuery) begin(ctx context.Context, q *Query) {
	x.use++
	x.ctx, x.err = ctx, nil
	x.top.Heap = x.top.Heap[:0] // a query that failed has left hits
	x.halt.Store(false)
	x.lead.begin(ctx, x.s, q)
}

func (x *sharedQuery) Forget() {
	x.lead.forget()
	x.ctx = nil
}

func (x *sharedQuery) Resolve() (err error) {
	if x.Failed() {
		return nil
	}
	defer store.CatchFault(store.ArmFault(), &err)
	return x.lead.resolve()
}

func (x *sharedQuery) Start(conjunctive bool) bool {
	r := &x.lead
	x.conjunctive = conjunctive
	x.theta.Store(0)
	x.top.Reset(r.maxHits(), len(r.terms))
	r.Top.Reset(x.top.K, len(r.terms))
	r.Top.Shared = &x.theta
	return !conjunctive || !r.unknown()
}

func (x *sharedQuery) Matches(segment int) bool { return x.lead.enter(segment, x.conjunctive) }

func (x *sharedQuery) Cut(segment int, c exec.Cutter) (err error) {
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

func (x *sharedQuery) Done() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err != nil || !x.conjunctive || x.lead.q.Mode == And || len(x.top.Heap) >= x.top.K
}

func (x *sharedQuery) Fail(err error) {
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

func (x *sharedQuery) Failed() bool { return x.halt.Load() }

// collect adds the hits of t and empties it.
func (x *sharedQuery) collect(t *topk.TopK) {
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

// taskWorker implements exec.Worker.
type taskWorker struct {
	engine *Tasks
	run    execution
	last   attached
	holds  bool // run.top has hits that are not collected yet

	sink exec.Sink   // of the current task; nil: matches are scored at once
	next *exec.Batch // being filled
}

// attached identifies the lists that a taskWorker has open: those of a pass over a segment. They
// are at document hi or before it.
type attached struct {
	query       *sharedQuery
	use         uint64
	conjunctive bool
	segment     int
	hi          uint32
}

func (w *taskWorker) Forget() {
	w.last = attached{}
	w.run.terms, w.run.Names = nil, nil // the lead's, which others may still read
	w.run.forget()
	if !w.holds && w.run.large() {
		w.run = execution{}
	}
}

// guard runs work, which uses w's run, and turns a fault into an error. A fault leaves the run in
// an unknown state, so that w gets a new one.
func (w *taskWorker) guard(work func() error) (err error) {
	done := false
	defer func() {
		w.run.blame(&err)
		if !done {
			w.run, w.last, w.holds, w.next = execution{}, attached{}, false, nil
		}
	}()
	defer store.CatchFault(store.ArmFault(), &err)
	err = work()
	done = true
	return err
}

func (w *taskWorker) Answer(q exec.Query) error {
	x := q.(*sharedQuery)
	if x.Failed() {
		return nil
	}
	return w.guard(func() error {
		w.run.begin(x.ctx, x.s, &x.lead.q)
		if err := w.run.resolve(); err != nil {
			return err
		}
		err := w.run.compute()
		x.top.Heap = append(x.top.Heap[:0], w.run.Top.Heap...)
		w.run.forget()
		return err
	})
}

func (w *taskWorker) Do(q exec.Query, t exec.Task, s exec.Sink) error {
	return w.guard(func() error { return w.do(q.(*sharedQuery), t, s) })
}

func (w *taskWorker) do(x *sharedQuery, t exec.Task, s exec.Sink) error {
	r := &w.run
	w.next, r.Later = nil, nil
	if !w.attach(x, t.Segment, t.Lo) {
		return r.Err
	}
	r.Within(t.Lo, t.Hi)
	if s != nil && x.conjunctive && (t.Lo > 0 || t.Hi < posting.End) {
		w.sink, r.Later = s, w
	}
	r.Dispatch(x.conjunctive)
	if b := w.next; b != nil { // too few for a batch
		w.next = nil
		if r.Err == nil {
			r.ScoreMatches(b.Matches.(*algorithm.Matches))
		}
		w.engine.batches.Put(b)
	}
	w.last.hi = t.Hi
	if r.Err != nil {
		w.last = attached{}
	}
	return r.Err
}

// attach makes w's run ready for a task of x that begins at document lo of a segment. Lists that an
// earlier task of the pass left before lo stay open.
func (w *taskWorker) attach(x *sharedQuery, segment int, lo uint32) bool {
	r := &w.run
	ok := true
	if a := w.last; a.query != x || a.use != x.use || a.conjunctive != x.conjunctive || a.segment != segment || a.hi > lo {
		w.last = attached{x, x.use, x.conjunctive, segment, 0}
		r.begin(x.ctx, x.s, &x.lead.q)
		r.bound = x.lead.bound
		r.Halt, r.terms, r.Names, r.Postings = &x.halt, x.lead.terms, x.lead.Names, x.lead.Postings
		ok = r.enter(segment, x.conjunctive)
	}
	if !w.holds {
		w.holds = true
		r.Top.Reset(x.top.K, len(x.lead.terms))
		r.Partial.Reset(x.top.K)
		r.Top.Shared = &x.theta
	}
	r.Top.Sync()
	return ok
}

func (w *taskWorker) Collect(q exec.Query) {
	if w.holds {
		w.holds = false
		q.(*sharedQuery).collect(&w.run.Top)
	}
}

// batchSize is how many documents make a batch. Fewer are scored where they were found.
const batchSize = 256

// Postpone adds matches to a batch and reports true, unless scoring them at once is better: while
// there is no threshold to skip blocks with, and while the sink does not want them.
func (w *taskWorker) Postpone(m *algorithm.Matches, lists int) bool {
	if w.run.Top.Prune < 0 || !w.sink.Wanted() {
		return false
	}
	if w.next == nil {
		w.next = w.engine.batch(w.last.segment, lists)
	}
	b := w.next
	all := b.Matches.(*algorithm.Matches)
	all.Append(m, lists)
	if len(all.Docs) < batchSize {
		return true
	}
	w.next = nil
	if !w.sink.Take(b) {
		w.run.ScoreMatches(all)
		w.engine.batches.Put(b)
	}
	return true
}

func (w *taskWorker) Score(q exec.Query, b *exec.Batch) error {
	return w.guard(func() error { return w.score(q.(*sharedQuery), b) })
}

func (w *taskWorker) score(x *sharedQuery, b *exec.Batch) error {
	r := &w.run
	defer func() { w.holds = false }()
	if !w.attach(x, b.Segment, posting.End) || !r.Open(len(r.Lists)) {
		w.last = attached{}
		return r.Err
	}
	r.ScoreMatches(b.Matches.(*algorithm.Matches))
	if r.Err != nil {
		w.last = attached{}
		return r.Err
	}
	x.collect(&r.Top)
	w.engine.batches.Put(b)
	return nil
}
