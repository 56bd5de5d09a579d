package gpuload

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Executor is a pinion.PartExecutor: it answers the searches of an Index, a Reader or Views on the GPU and the CPU, and follows
// commits. It is over one snapshot at a time. When it is asked for another one, unless that is of an earlier commit, it goes on to that, in the
// background: what both have stays in device memory. That takes some milliseconds, for which searches wait, 50 ms at most. Where devices are to
// be opened, which takes 0.3 s and more, it takes nothing meanwhile. It spends at most half of the time on both: it rests as long as the last
// change took. It takes
// no request that sorts, collapses or has facets, and no page but the first of an index that keeps an order. It is safe for concurrent
// use. The caller closes it.
type Executor struct {
	options hybrid.OpenOptions
	open    func(*reader.Snapshot, *search.Searcher, hybrid.OpenOptions) (scheduler, error) // in tests others
	ctx     context.Context                                                                 // until Close
	cancel  context.CancelFunc
	work    sync.WaitGroup
	counts  counts

	mu          sync.Mutex
	cur         *opened           // or nil
	settled     chan struct{}     // closed when nothing is being opened
	rest        time.Time         // nothing is opened before
	took        time.Duration     // of the last change
	refused     string            // commit
	refusedPart *query.Collection // with it
	why         error             // cur is nil
	opening     bool
	follows     bool // devices that are open go on
	closed      bool
}

var _ pinion.PartExecutor = (*Executor)(nil)

// scheduler is a *hybrid.Executor.
type scheduler interface {
	// Follow closes it and returns one over another snapshot, which has the same devices.
	Follow(*reader.Snapshot, *search.Searcher) (scheduler, error)
	Search(context.Context, search.Query) (search.Result, error)
	Execute(context.Context, []search.Query) ([]search.Result, error)
	Ready(context.Context) error
	Device() string
	Stats() hybrid.Stats
	Answered() hybrid.Answered
	Plan(context.Context, search.Query) (hybrid.Plan, error)
	Close() error
}

// hybridScheduler is a scheduler.
type hybridScheduler struct{ *hybrid.Executor }

func (x hybridScheduler) Follow(s *reader.Snapshot, q *search.Searcher) (scheduler, error) {
	next, err := x.Executor.Follow(s, q)
	if err != nil {
		return nil, err
	}
	return hybridScheduler{next}, nil
}

// opened is a scheduler and the Searcher that says what it is over.
type opened struct {
	searcher   *search.Searcher
	x          scheduler
	of         *query.Collection // which it answers as a part of, or nil
	directory  string
	generation uint64
}

// before reports whether s is of an earlier commit than o.
func (o *opened) before(s *reader.Snapshot) bool {
	return s.Generation() < o.generation && s.Directory() == o.directory
}

// samePart reports whether two collections are the same, or both nil.
func samePart(a, b *query.Collection) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Docs == b.Docs && slices.Equal(a.Fields, b.Fields)
}

func (o *opened) close() error {
	if o == nil {
		return nil
	}
	return errors.Join(o.x.Close(), o.searcher.Close())
}

// Execute answers requests over a snapshot, as pinion.Executor says. The error is that of ctx, or matches ErrClosed. Requests that fail are not taken: the CPU says why.
func (x *Executor) Execute(ctx context.Context, s *reader.Snapshot, requests []pinion.Request) ([]*pinion.Page, error) {
	on, err := x.over(ctx, s, nil)
	pages := make([]*pinion.Page, len(requests))
	if on == nil || err != nil {
		x.counts.leave(gpu.ReasonNoDevice, len(requests))
		return pages, err
	}
	var queries []search.Query
	var numbers []int
	for i := range requests {
		q, why := queryOf(&requests[i], s)
		if why != gpu.OnDevice {
			x.counts.leave(why, 1)
			continue
		}
		queries, numbers = append(queries, q), append(numbers, i)
	}
	var results []search.Result
	if len(queries) == 1 {
		var r search.Result
		r, err = on.Search(ctx, queries[0])
		results = []search.Result{r}
	} else {
		results, err = on.Execute(ctx, queries)
	}
	if err != nil {
		return pages, ctx.Err()
	}
	for i := range results {
		p := pageOf(&results[i])
		p.Limited, p.Approximate = *queries[i].Limited, *queries[i].Approximate
		pages[numbers[i]] = p
	}
	return pages, nil
}

// ExecutePart answers a request over a snapshot that is a part of a collection, as pinion.PartExecutor says. It has devices open for one
// collection at a time, as for one snapshot.
func (x *Executor) ExecutePart(ctx context.Context, s *reader.Snapshot, r pinion.Request, of pinion.Part) (*pinion.Page, error) {
	on, err := x.over(ctx, s, &query.Collection{Docs: of.Collection.Docs, Fields: slices.Clone(of.Collection.Fields)})
	if on == nil || err != nil {
		x.counts.leave(gpu.ReasonNoDevice, 1)
		return nil, err
	}
	q, why := queryOf(&r, s)
	if why != gpu.OnDevice {
		x.counts.leave(why, 1)
		return nil, nil
	}
	if q.After != nil && of.After != 0 {
		q.After.Doc, q.After.Before = 0, true
		if of.After > 0 {
			q.After.Doc, q.After.Before = math.MaxUint32, false
		}
	}
	q.Limited, q.Frequencies, q.Neighbors = nil, of.Frequencies, of.Neighbors
	result, err := on.Search(ctx, q)
	if err != nil {
		return nil, ctx.Err()
	}
	found := pageOf(&result)
	found.Approximate = *q.Approximate
	return found, nil
}

// pageOf returns the page of a result.
func pageOf(r *search.Result) *pinion.Page {
	p := &pinion.Page{Hits: make([]pinion.Hit, len(r.Hits)), Total: r.Total}
	for k, h := range r.Hits {
		p.Hits[k] = pinion.Hit{Doc: h.Doc, Score: h.Score}
	}
	return p
}

// queryOf returns r as a query over a snapshot, or why it is not taken.
func queryOf(r *pinion.Request, s *reader.Snapshot) (q search.Query, why gpu.Reason) {
	if len(r.Sort)+len(r.Facets) > 0 || r.Collapse != "" {
		return q, gpu.ReasonColumns
	}
	q = search.Query{Node: r.Query, K: r.Limit, Static: (*search.Static)(r.Static), Params: query.Params{K1: r.K1, B: r.B, Scorer: r.Scorer}, Total: r.Total,
		Limited: new([]query.Limited), Approximate: new(bool)}
	if r.After != nil {
		doc, ok, err := s.FindID([]byte(r.After.ID))
		if _, _, ordered := s.Order(); ordered || err != nil {
			return q, gpu.ReasonAfter
		}
		q.After = &search.Position{Score: r.After.Score, Doc: doc, Before: !ok}
	}
	return q, gpu.OnDevice
}

// over returns the scheduler over a snapshot, as a part of a collection if that is not nil, or nil if it is not open. Then it begins
// to open it.
func (x *Executor) over(ctx context.Context, s *reader.Snapshot, of *query.Collection) (scheduler, error) {
	var late <-chan time.Time
	for {
		on, wait, err := x.look(s, of)
		if wait == nil {
			return on, err
		}
		if late == nil {
			late = time.After(mostWait)
		}
		select {
		case <-wait:
		case <-late:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// mostWait is how long a search waits for devices that go on to a commit. Were it answered on the CPU, others would be, too, and hold that up.
const mostWait = 50 * time.Millisecond

// look is over without waiting. wait is closed when it is worth to look again; nil: now is the answer.
func (x *Executor) look(s *reader.Snapshot, of *query.Collection) (on scheduler, wait <-chan struct{}, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.closed:
		return nil, nil, ErrClosed
	case x.cur != nil && x.cur.searcher.Over(s) && samePart(x.cur.of, of):
		return x.cur.x, nil, nil
	case x.cur != nil && x.cur.before(s):
		return nil, nil, nil
	case x.opening && x.follows:
		return nil, x.settled, nil
	case x.opening || time.Now().Before(x.rest) || errors.Is(x.why, ErrNoDevice):
		return nil, nil, nil
	case x.why != nil && x.refused == s.CommitID() && samePart(x.refusedPart, of):
		return nil, nil, nil
	}
	own, err := s.Retain()
	if err != nil {
		return nil, nil, nil // the CPU says why
	}
	x.settled, x.opening = make(chan struct{}), true
	old := x.cur
	x.cur = nil
	if x.follows = old != nil; x.follows {
		wait = x.settled
	}
	x.work.Go(func() { x.follow(old, own, of) })
	return nil, wait, nil
}

// follow goes on from a scheduler, which may be nil, to another one, over s, which it closes.
func (x *Executor) follow(old *opened, s *reader.Snapshot, of *query.Collection) {
	began := time.Now()
	id := s.CommitID()
	next, err := x.next(old, s, of)
	err = errors.Join(err, s.Close())
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cur, x.why, x.refused, x.refusedPart = next, err, id, of
	x.took = time.Since(began)
	x.rest = time.Now().Add(x.took)
	x.opening = false
	close(x.settled)
}

// next returns a scheduler over s, as a part of a collection if that is not nil: one that follows old, which ends, if there is one and its
// devices go on, or one with devices that are opened and answer.
func (x *Executor) next(old *opened, s *reader.Snapshot, of *query.Collection) (*opened, error) {
	q, err := search.NewSearcher(s, search.Options{Collection: of})
	if err != nil {
		return nil, errors.Join(err, old.close())
	}
	next := &opened{searcher: q, of: of, directory: s.Directory(), generation: s.Generation()}
	if old != nil {
		next.x, err = old.x.Follow(s, q)
		_ = old.searcher.Close()
		if err == nil {
			return next, nil
		}
		x.mu.Lock()
		x.follows = false // to open devices takes long
		x.mu.Unlock()
	}
	if next.x, err = x.open(s, q, x.options); err != nil {
		return nil, errors.Join(err, q.Close())
	}
	if err := next.x.Ready(x.ctx); err != nil {
		return nil, errors.Join(err, next.close())
	}
	return next, nil
}

// Ready waits until no device is being opened. The error is the context's, or says why no device answers: it matches
// ErrNoDevice if there is none, ErrMemory if it has too little memory, ErrDevice or ErrHung if it has failed, and ErrClosed
// after Close. It is nil before the first request.
func (x *Executor) Ready(ctx context.Context) error {
	x.mu.Lock()
	settled := x.settled
	x.mu.Unlock()
	select {
	case <-settled:
	case <-ctx.Done():
		return ctx.Err()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return ErrClosed
	}
	if x.cur != nil {
		return x.cur.x.Stats().Retired
	}
	return x.why
}

// Close closes what is open, and waits for requests under way. Further calls do nothing.
func (x *Executor) Close() error {
	x.mu.Lock()
	again := x.closed
	x.closed = true
	x.mu.Unlock()
	if again {
		return nil
	}
	x.cancel()
	x.work.Wait()
	return x.cur.close()
}
