package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/query/internal/exec"
	"github.com/pinion-index/pinion/store"
)

// This file executes queries in tasks, for package pool. Package exec documents the methods.

// Tasks implements exec.Engine, but for what depends on package query.
type Tasks struct {
	s       *Searcher
	batches sync.Pool // of *exec.Batch with *matches
}

// Tasks returns s as an engine of tasks.
func (s *Searcher) Tasks() *Tasks { return &Tasks{s: s} }

func (e *Tasks) NewQuery() exec.Query { return &sharedQuery{s: e.s} }

func (e *Tasks) NewWorker() exec.Worker { return &taskWorker{engine: e} }

func (e *Tasks) Begin(ctx context.Context, x exec.Query, q *Query) { x.(*sharedQuery).begin(ctx, q) }

// AppendTaskHits is AppendHits for a query that was executed in tasks.
func AppendTaskHits[H hit](x exec.Query, dst []H) ([]H, error) {
	q := x.(*sharedQuery)
	if q.err != nil {
		return dst, q.err
	}
	return appendHits(dst, &q.top), nil
}

func (e *Tasks) AppendLengths(dst []uint64, terms [][]byte) ([]uint64, error) {
	return e.s.AppendLengths(dst, terms)
}

func (e *Tasks) Err() error {
	err := e.s.hold()
	if err == nil {
		e.s.release()
	}
	return err
}

func (e *Tasks) Docs() (n uint64) {
	for i := range e.s.parts {
		n += uint64(e.s.parts[i].seg.Docs())
	}
	return n
}

func (e *Tasks) Segments() int { return e.s.Segments() }

func (e *Tasks) Segment(i int) (base, docs uint32) {
	seg := e.s.parts[i].seg
	return seg.Base(), seg.Docs()
}

// batch returns an empty batch for matches in lists lists.
func (e *Tasks) batch(segment, lists int) *exec.Batch {
	b, ok := e.batches.Get().(*exec.Batch)
	if !ok {
		b = &exec.Batch{Matches: new(matches)}
	}
	b.Segment = segment
	b.Matches.(*matches).reset(lists)
	return b
}

// sharedQuery implements exec.Query.
type sharedQuery struct {
	s   *Searcher
	use uint64 // increases with each query that it is used for
	ctx context.Context

	held bool // the snapshot is held

	lead run // resolves the terms and cuts the passes; holds what terms refer to

	// All tasks read these fields often: they have a cache line of their own.
	_           [64]byte
	conjunctive bool
	halt        atomic.Bool   // the query has failed
	theta       atomic.Uint32 // bits of the best threshold of any task
	_           [64]byte

	mu  sync.Mutex
	top topK
	err error
}

func (x *sharedQuery) begin(ctx context.Context, q *Query) {
	x.use++
	x.ctx, x.err = ctx, nil
	x.top.heap = x.top.heap[:0] // a query that failed has left hits
	x.halt.Store(false)
	x.lead.begin(ctx, x.s, q)
	err := x.s.hold()
	x.held = err == nil
	x.Fail(err)
}

func (x *sharedQuery) Forget() {
	x.lead.forget()
	x.ctx = nil
	if x.held {
		x.held = false
		x.s.release()
	}
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
	x.top.reset(r.maxHits(), len(r.terms))
	r.top.reset(x.top.k, len(r.terms))
	r.top.shared = &x.theta
	return !conjunctive || !r.unknown()
}

func (x *sharedQuery) Matches(segment int) bool { return x.lead.enter(segment, x.conjunctive) }

func (x *sharedQuery) Cut(segment int, c exec.Cutter) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	r := &x.lead
	n := 1
	if !x.conjunctive {
		n = len(r.lists)
	}
	if !r.open(n) {
		return r.err
	}
	if x.conjunctive {
		cutBlocks(r.lists[0], c)
	} else {
		r.cutDocs(c)
	}
	return nil
}

// cutBlocks cuts a conjunction into ranges of consecutive blocks of the shortest list (Tatikonda
// 2011, algorithm 4). The other lists need no cutting: a task finds its start in them through their
// skip headers.
func cutBlocks(shortest *list, c exec.Cutter) {
	last, size := shortest.List().Docs.Last, shortest.List().BlockLen
	lo := uint32(0)
	for b := 0; ; {
		b += max(1, c.Size((len(last)-b)*size, len(last)*size)/size)
		if b >= len(last) {
			break
		}
		hi := last[b-1] + 1
		if hi <= lo {
			break // damage, which the last task will report
		}
		c.Range(lo, hi)
		lo = hi
	}
	c.Range(lo, end)
}

// cutDocs cuts a disjunction into ranges of docIDs by the number of postings of the essential
// lists, as if these were evenly distributed.
func (r *run) cutDocs(c exec.Cutter) {
	r.sumBounds()
	r.estimate()
	postings := 0
	for _, l := range r.lists[:r.essential(len(r.lists))] {
		postings += l.List().N
	}
	docs := uint64(r.part.seg.Docs())
	lo := uint64(0)
	for at := 0; at < postings; {
		at += c.Size(postings-at, postings)
		hi := docs * uint64(at) / uint64(postings)
		if hi >= docs {
			break
		}
		if lo < hi {
			c.Range(uint32(lo), uint32(hi))
			lo = hi
		}
	}
	c.Range(uint32(lo), uint32(docs))
}

func (x *sharedQuery) Done() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err != nil || !x.conjunctive || x.lead.q.Mode == And || len(x.top.heap) >= x.top.k
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
func (x *sharedQuery) collect(t *topK) {
	if len(t.heap) == 0 {
		return
	}
	x.mu.Lock()
	for _, key := range t.heap {
		h := keyHit(key)
		x.top.offer(h.Doc, h.Score)
	}
	theta := x.top.theta
	x.mu.Unlock()
	t.heap = t.heap[:0]
	publish(&x.theta, theta)
}

// taskWorker implements exec.Worker.
type taskWorker struct {
	engine *Tasks
	run    run
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
	w.run.terms = nil // the lead's, which others may still read
	w.run.forget()
	if !w.holds && w.run.large() {
		w.run = run{}
	}
}

// guard runs work, which uses w's run, and turns a fault into an error. A fault leaves the run in
// an unknown state, so that w gets a new one.
func (w *taskWorker) guard(work func() error) (err error) {
	done := false
	defer func() {
		w.run.blame(&err)
		if !done {
			w.run, w.last, w.holds, w.next = run{}, attached{}, false, nil
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
		x.top.heap = append(x.top.heap[:0], w.run.top.heap...)
		w.run.forget()
		return err
	})
}

func (w *taskWorker) Do(q exec.Query, t exec.Task, s exec.Sink) error {
	return w.guard(func() error { return w.do(q.(*sharedQuery), t, s) })
}

func (w *taskWorker) do(x *sharedQuery, t exec.Task, s exec.Sink) error {
	r := &w.run
	w.next, r.later = nil, nil
	if !w.attach(x, t.Segment, t.Lo) {
		return r.err
	}
	r.within(t.Lo, t.Hi)
	if s != nil && x.conjunctive && (t.Lo > 0 || t.Hi < end) {
		w.sink, r.later = s, w
	}
	r.dispatch(x.conjunctive)
	if b := w.next; b != nil { // too few for a batch
		w.next = nil
		if r.err == nil {
			r.scoreMatches(b.Matches.(*matches))
		}
		w.engine.batches.Put(b)
	}
	w.last.hi = t.Hi
	if r.err != nil {
		w.last = attached{}
	}
	return r.err
}

// attach makes w's run ready for a task of x that begins at document lo of a segment. Lists that an
// earlier task of the pass left before lo stay open.
func (w *taskWorker) attach(x *sharedQuery, segment int, lo uint32) bool {
	r := &w.run
	ok := true
	if a := w.last; a.query != x || a.use != x.use || a.conjunctive != x.conjunctive || a.segment != segment || a.hi > lo {
		w.last = attached{x, x.use, x.conjunctive, segment, 0}
		r.begin(x.ctx, x.s, &x.lead.q)
		r.halt, r.terms = &x.halt, x.lead.terms
		ok = r.enter(segment, x.conjunctive)
	}
	if !w.holds {
		w.holds = true
		r.top.reset(x.top.k, len(x.lead.terms))
		r.partial.reset(x.top.k)
		r.top.shared = &x.theta
	}
	r.top.sync()
	return ok
}

func (w *taskWorker) Collect(q exec.Query) {
	if w.holds {
		w.holds = false
		q.(*sharedQuery).collect(&w.run.top)
	}
}

// batchSize is how many documents make a batch. Fewer are scored where they were found.
const batchSize = 256

// postpone adds matches to a batch and reports true, unless scoring them at once is better: while
// there is no threshold to skip blocks with, and while the sink does not want them.
func (w *taskWorker) postpone(m *matches, lists int) bool {
	if w.run.top.prune < 0 || !w.sink.Wanted() {
		return false
	}
	if w.next == nil {
		w.next = w.engine.batch(w.last.segment, lists)
	}
	b := w.next
	all := b.Matches.(*matches)
	all.append(m, lists)
	if len(all.docs) < batchSize {
		return true
	}
	w.next = nil
	if !w.sink.Take(b) {
		w.run.scoreMatches(all)
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
	if !w.attach(x, b.Segment, end) || !r.open(len(r.lists)) {
		w.last = attached{}
		return r.err
	}
	r.scoreMatches(b.Matches.(*matches))
	if r.err != nil {
		w.last = attached{}
		return r.err
	}
	x.collect(&r.top)
	w.engine.batches.Put(b)
	return nil
}
