package pool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Options configure a Pool. The zero value means model Inter with one worker for each CPU.
type Options struct {
	// Workers is the number of goroutines, at most MaxWorkers; 0 means runtime.GOMAXPROCS.
	Workers int
	// Model is how queries are distributed over the workers.
	Model Model
	// Threshold is the pool threshold of FineGrained: while more tasks than that wait, no worker
	// makes tasks of the next query. A higher value raises throughput, a lower one reduces
	// latency. 0 means 5.
	Threshold int
	// TaskPostings is the size of a task of FineGrained, in postings of the shortest list of a
	// conjunction or of the essential lists of a disjunction. 0 means large tasks first, then
	// smaller ones, and a single task for a small query. It is also how many vectors a goroutine compares at a time.
	TaskPostings int
	// SpinFor is how long an idle worker looks for work before it sleeps: a query that arrives
	// in that time does not wait for workers to wake. It costs at most that much CPU time for
	// each worker that worked on a query. A worker that finds no work in that time gives up
	// after DefaultSpinFor the next time, and an eighth of the CPUs is left to other
	// goroutines, to which busy workers of model Inter yield every millisecond. 0 means DefaultSpinFor,
	// or DefaultFineSpinFor for FineGrained; a negative value disables spinning.
	SpinFor time.Duration
}

// MaxWorkers is the maximum of Options.Workers. More workers than CPUs answer no faster, and each has
// queues of its own.
const MaxWorkers = 4096

const defaultThreshold = 5

// check returns an error matching query.ErrInvalid unless o is valid.
func (o *Options) check() error {
	switch {
	case int(o.Model) >= len(modelNames):
		return fmt.Errorf("%w: %v", query.ErrInvalid, o.Model)
	case o.Workers > MaxWorkers:
		return fmt.Errorf("%w: pool with %d workers, more than %d", query.ErrInvalid, o.Workers, MaxWorkers)
	case o.Workers < 0 || o.Threshold < 0 || o.TaskPostings < 0:
		return fmt.Errorf("%w: pool with %d workers, threshold %d, tasks of %d postings", query.ErrInvalid, o.Workers, o.Threshold, o.TaskPostings)
	}
	return nil
}

// setDefaults replaces zeros by the defaults.
func (o *Options) setDefaults() {
	if o.Workers == 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), MaxWorkers)
	}
	if o.Threshold == 0 {
		o.Threshold = defaultThreshold
	}
	if o.SpinFor == 0 {
		o.SpinFor = DefaultSpinFor
		if o.Model == FineGrained {
			o.SpinFor = DefaultFineSpinFor
		}
	}
}

// ErrClosed is matched by the errors of calls on a closed Pool. It matches reader.ErrClosed.
var ErrClosed = fmt.Errorf("pool: %w", fs.ErrClosed)

// Lengths of the queues.
const (
	entryRoom   = 1 << 12 // queries
	taskRoom    = 1 << 12
	scoringRoom = 1 << 10
)

// Pool answers queries on several goroutines. It is safe for concurrent use. The caller closes
// it. The zero value is a closed Pool.
type Pool struct {
	searcher *search.Searcher
	engine   *engine.Tasks
	options  Options

	entry   *ring[*job]    // queries not begun
	tasks   *ring[task]    // FineGrained: the intersection task pool
	scoring *ring[scoring] // FineGrained: the scoring task pool
	workers []*worker
	jobs    sync.Pool

	spinning, sleeping workerSet    // workers without work
	parked             workerSet    // those that sleep without a P
	mostSpinning       int          // at a time
	mustPark           int          // how many of all workers must, to leave freeProcs
	rest               atomic.Int64 // how many Rest says

	// Idle workers poll these fields; what every query changes is in another cache line.
	ended   atomic.Bool // no more queries will come
	turn    atomic.Bool // DocRanges, Partitions: a query is in progress
	_       [64]byte
	queries atomic.Int64 // in progress or waiting, plus closed

	look, lent job          // what a box may hold instead of a query
	reserve    int          // as reserves says
	typical    atomic.Int64 // nanoseconds that a worker of model Inter takes for a query

	passes, taskCount, scoringTasks atomic.Uint64 // as in Counts
	splitting                       atomic.Int64
	expected                        atomic.Int32  // FineGrained: average tasks of recent queries, in 1/expectedUnit
	drained                         chan struct{} // receives a value when a closed Pool has no more queries
	running                         sync.WaitGroup
	freed                           sync.Once
}

var _ search.Executor = (*Pool)(nil)

const closed = 1 << 62

// Counts are what a Pool has done since New. Model Inter makes no tasks.
type Counts struct {
	Passes       uint64        // conjunctions and disjunctions that were cut into tasks
	Tasks        uint64        // tasks that the passes were cut into
	ScoringTasks uint64        // scoring tasks that these tasks made
	Performed    uint64        // tasks of both kinds executed; the others were dropped because their queries failed
	Splitting    time.Duration // time spent on making tasks, summed over workers
}

// Counts returns what p has done so far.
func (p *Pool) Counts() Counts {
	c := Counts{Passes: p.passes.Load(), Tasks: p.taskCount.Load(), ScoringTasks: p.scoringTasks.Load(), Splitting: time.Duration(p.splitting.Load())}
	for _, w := range p.workers {
		c.Performed += w.performed.Load()
	}
	return c
}

// count records that a pass was cut.
func (p *Pool) count(tasks int, took time.Duration) {
	p.passes.Add(1)
	p.taskCount.Add(uint64(tasks))
	p.splitting.Add(int64(took))
	if p.options.Model == FineGrained {
		e := p.expected.Load()
		p.expected.Store(e + (int32(min(tasks, 1<<20))*expectedUnit-e)/4)
	}
}

// New starts a Pool over s, which it retains: the caller may close s at any time, and closes the
// Pool. The error matches query.ErrInvalid, or reader.ErrClosed if s is closed.
func New(s *search.Searcher, o Options) (*Pool, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("%w: pool over no searcher", query.ErrInvalid)
	}
	o.setDefaults()
	own, err := s.Retain()
	if err != nil {
		return nil, err
	}
	tasks, err := own.Engine().Tasks()
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}
	p := &Pool{
		searcher: own,
		engine:   tasks,
		options:  o,
		entry:    newRing[*job](entryRoom),
		tasks:    newRing[task](taskRoom),
		scoring:  newRing[scoring](scoringRoom),
		drained:  make(chan struct{}, 1),
		spinning: newWorkerSet(o.Workers),
		sleeping: newWorkerSet(o.Workers),
		parked:   newWorkerSet(o.Workers),
	}
	p.jobs.New = p.newJob
	procs := runtime.GOMAXPROCS(0)
	cpus := min(procs, runtime.NumCPU())
	p.mostSpinning = cpus - freeProcs(cpus)
	p.mustPark = max(0, o.Workers-(procs-freeProcs(procs)))
	p.reserve = min(max(o.Workers-(cpus-cpus/8), 0), cpus/8)
	for i := range o.Workers {
		w := &worker{pool: p, index: i, tasks: p.engine.NewWorker(), own: newRing[task](1), patience: o.SpinFor, stride: 1}
		if o.Model.exclusive() {
			w.own = newRing[task](taskRoom)
		}
		w.sleeper.init()
		p.workers = append(p.workers, w)
	}
	for _, w := range p.workers {
		p.running.Go(w.loop)
	}
	return p, nil
}

// Close makes later queries fail with ErrClosed, waits for those in progress and ends the workers.
// Further calls only wait. It must not be called by the function that Submit is given.
func (p *Pool) Close() {
	if n := p.queries.Or(closed); n&closed == 0 {
		if n > 0 {
			<-p.drained
		}
		p.ended.Store(true)
		for _, w := range p.workers {
			p.unpark(w)
		}
	}
	p.running.Wait()
	if p.engine != nil {
		p.engine.Close()
		_ = p.searcher.Close() // of what is only read
	}
	p.freed.Do(p.free)
}

// free frees the memory of a Pool whose workers and queries have ended.
func (p *Pool) free() {
	if p.entry != nil {
		p.entry.cells = nil // not all of it: a goroutine whose query was answered at once may still look how many wait
	}
	p.tasks, p.scoring = nil, nil
	for _, w := range p.workers {
		w.tasks, w.own, w.plan, w.spare = nil, nil, nil, nil
	}
}

// leave undoes an increment of queries.
func (p *Pool) leave() {
	if p.queries.Add(-1) == closed {
		select {
		case p.drained <- struct{}{}:
		default:
		}
	}
}

// Searcher returns the Pool's own Searcher, for callers that answer queries on goroutines of their
// own beside the workers. It is closed with the Pool.
func (p *Pool) Searcher() *search.Searcher { return p.searcher }

// Workers returns the number of workers.
func (p *Pool) Workers() int { return len(p.workers) }

// AppendLengths appends the document frequency of each term, as Searcher.AppendLengths does.
func (p *Pool) AppendLengths(dst []uint64, terms [][]byte) ([]uint64, error) {
	if p.engine == nil {
		return dst, ErrClosed
	}
	return p.engine.AppendLengths(dst, "", terms)
}

// AppendFieldLengths is AppendLengths for terms of a field, as Searcher.AppendFieldLengths.
func (p *Pool) AppendFieldLengths(dst []uint64, field string, terms [][]byte) ([]uint64, error) {
	if p.engine == nil {
		return dst, ErrClosed
	}
	return p.engine.AppendLengths(dst, field, terms)
}

// Search answers one query. It returns what Searcher.Search returns, or ErrClosed.
func (p *Pool) Search(ctx context.Context, q search.Query) (search.Result, error) {
	var r search.Result
	_, _, err := p.answer(ctx, nil, &q, asked, &r)
	return r, err
}

// Count returns the number of documents that match q, as Searcher.Count does, or ErrClosed. One worker counts,
// whatever the model.
func (p *Pool) Count(ctx context.Context, q search.Query) (uint64, error) {
	q.Total = true
	_, n, err := p.answer(ctx, nil, &q, onlyTotal, nil)
	return n, err
}

// AppendHits appends the hits of q to dst, the best first. On an error it returns dst
// unchanged. Like the other methods it ignores Query.Trace, and a nil ctx means context.Background.
// It ignores Query.Total and Query.Facets too.
func (p *Pool) AppendHits(ctx context.Context, dst []search.Hit, q *search.Query) ([]search.Hit, error) {
	hits, _, err := p.answer(ctx, dst, q, onlyHits, nil)
	return hits, err
}

// What of the answer to a query is wanted.
type wanted uint8

const (
	asked wanted = iota // the hits, and the total if Query.Total is set
	onlyHits
	onlyTotal
)

// want makes j find only what is wanted.
func (j *job) want(w wanted) {
	if w == onlyHits {
		j.q.Total, j.q.Facets = false, nil
	}
	j.counts = w == onlyTotal
}

// answer appends the hits of q to dst and returns the total of the matches, as far as they are wanted. It also sets r to
// the result, unless r is nil.
func (p *Pool) answer(ctx context.Context, dst []search.Hit, q *search.Query, what wanted, r *search.Result) ([]search.Hit, uint64, error) {
	ctx = orBackground(ctx)
	if err := ctx.Err(); err != nil {
		return dst, 0, err
	}
	if empty, err := p.check(q); empty || err != nil {
		return dst, 0, err
	}
	j, err := p.enter(ctx, q)
	if err != nil {
		return dst, 0, err
	}
	j.want(what)
	if w := p.borrow(); w != nil {
		w.answer(j)
		p.giveBack(w)
	} else if err := p.enqueue(j); err != nil {
		return dst, 0, err
	}
	return p.wait(j, dst, r)
}

// Execute answers a batch, all queries concurrently. It makes Pool an Executor.
func (p *Pool) Execute(ctx context.Context, queries []search.Query) ([]search.Result, error) {
	ctx = orBackground(ctx)
	results := make([]search.Result, len(queries))
	waiting := make([]*job, len(queries))
	var failed error
	for i := range queries {
		if failed = ctx.Err(); failed != nil {
			break
		}
		empty, err := p.check(&queries[i])
		if err != nil {
			failed = &search.NumberError{Number: i, Err: err}
			break
		}
		if empty {
			continue
		}
		if waiting[i], failed = p.start(ctx, &queries[i], nil, nil); failed != nil {
			waiting[i] = nil
			break
		}
	}
	for i, j := range waiting {
		if j == nil {
			continue
		}
		if _, _, err := p.wait(j, nil, &results[i]); err != nil && failed == nil {
			failed = &search.NumberError{Number: i, Err: err}
		}
	}
	if failed != nil {
		return nil, failed
	}
	return results, nil
}

// Submit starts a query and returns without waiting for its answer. If thousands of queries
// wait already, it first waits for room. Unless it returns an error, Submit calls done once,
// with the results of AppendHits, on a goroutine of the Pool, which done must not block. The
// hits are the caller's; what else a query asks for, such as Facets, only Search and Execute give. q's slices and
// filter must not change before that call. If done is nil, the error matches query.ErrInvalid.
func (p *Pool) Submit(ctx context.Context, q *search.Query, done func(hits []search.Hit, err error)) error {
	return p.Offer(ctx, q, nil, done)
}

// Offer is like Submit, but the worker that is about to answer calls wanted first, unless it is nil. If that
// returns false, the query is dropped and done is not called: wanted may have another processor
// answer. It is not called for a query that is canceled, or has no hits whatever the index holds.
func (p *Pool) Offer(ctx context.Context, q *search.Query, wanted func() bool, done func(hits []search.Hit, err error)) error {
	if q == nil || done == nil {
		return fmt.Errorf("%w: no query, or no function to call with its answer", query.ErrInvalid)
	}
	if _, err := p.check(q); err != nil {
		return err
	}
	_, err := p.start(orBackground(ctx), q, wanted, done)
	return err
}

// check returns an error if p does not accept q, and reports whether q is trivial.
func (p *Pool) check(q *search.Query) (empty bool, err error) {
	if err := q.Check(); err != nil {
		return false, err
	}
	if !trivial(q) {
		return false, nil
	}
	if p.engine == nil || p.queries.Load()&closed != 0 {
		return true, ErrClosed
	}
	return true, nil
}

// trivial reports whether q has no hits whatever the index holds.
func trivial(q *search.Query) bool {
	return q.Text == "" && len(q.RawTerms) == 0 && q.Node == nil && !q.WantsColumns()
}

// orBackground returns ctx, or context.Background instead of nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// enter makes a job of a query.
func (p *Pool) enter(ctx context.Context, q *search.Query) (*job, error) {
	if err := p.admit(); err != nil {
		return nil, err
	}
	j := p.jobs.Get().(*job)
	j.start(ctx, q)
	return j, nil
}

// admit counts a query, or fails.
func (p *Pool) admit() error {
	if p.engine == nil {
		return ErrClosed
	}
	if p.queries.Add(1)&closed != 0 {
		p.leave()
		return ErrClosed
	}
	return nil
}

// enqueue puts j into the entry queue, or fails if the context ends before there is room.
func (p *Pool) enqueue(j *job) error {
	awaited := j.notify == nil // later j may be another query
	for !p.entry.push(j) {
		if err := j.ctx.Err(); err != nil {
			p.recycle(j)
			return err
		}
		runtime.Gosched()
	}
	if w := p.spinner(); w != nil { // has begun to spin since j found none
		w.box.Store(&p.look)
	} else if awaited || !p.reserves() {
		p.wake(max(1, p.foreseen()))
	}
	return nil
}

// start gives a query to a worker that spins, or puts it into the entry queue.
func (p *Pool) start(ctx context.Context, q *search.Query, wanted func() bool, notify func([]search.Hit, error)) (*job, error) {
	if err := p.admit(); err != nil {
		return nil, err
	}
	var j *job
	w := p.spinner()
	if w != nil && w.spare != nil {
		j, w.spare = w.spare, nil
	} else {
		j = p.jobs.Get().(*job)
	}
	j.start(ctx, q)
	j.wanted, j.notify = wanted, notify
	if notify != nil {
		j.want(onlyHits)
	}
	if w != nil {
		w.box.Store(j)
		return j, nil
	}
	return j, p.enqueue(j)
}
