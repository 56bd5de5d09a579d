package query

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Model is a way to spread queries over cores (Tatikonda 2011, section 3).
type Model uint8

// The models. All give the results of a Searcher.
const (
	// Inter gives each query to one worker (section 3.1).
	Inter Model = iota
	// DocRanges gives every worker an equal range of docIDs of every query, over one
	// index (section 3.2.1, DOCP-UI). As there, the next query begins when all workers
	// are done with the last.
	DocRanges
	// Partitions gives every worker some of the segments, which are as good as
	// indexes of their own (section 3.2.1, DOCP-PI). Otherwise it is as DocRanges.
	Partitions
	// FineGrained cuts every query into small tasks that any worker takes (section
	// 3.2.2, FGQP): intersection tasks from the skip blocks of the shortest list,
	// and scoring tasks from what they find; ranges of docIDs for disjunctions.
	// Where the paper has one producer, any worker that finds few tasks waiting
	// becomes one, since looking up and cutting up a query takes as long as some
	// tasks do; and while as many queries wait as there are workers, a query is one
	// task.
	FineGrained
)

var modelNames = [...]string{Inter: "inter", DocRanges: "docp-ui", Partitions: "docp-pi", FineGrained: "fgqp"}

// String returns the paper's name: inter, docp-ui, docp-pi, fgqp.
func (m Model) String() string {
	if int(m) < len(modelNames) {
		return modelNames[m]
	}
	return fmt.Sprintf("model(%d)", uint8(m))
}

// ParseModel is String's inverse.
func ParseModel(name string) (Model, error) {
	for m, n := range modelNames {
		if n == name {
			return Model(m), nil
		}
	}
	return 0, fmt.Errorf("query: unknown model %q (known: inter, docp-ui, docp-pi, fgqp)", name)
}

// PoolOptions say how a Pool works.
type PoolOptions struct {
	// Workers is the number of goroutines; 0 means runtime.GOMAXPROCS.
	Workers int
	Model   Model
	// Threshold of FineGrained is the paper's pool threshold: while more tasks than
	// that wait, nobody makes new ones of the next query. 0 means 5. More raises
	// throughput, less lowers latency.
	Threshold int
	// TaskPostings of FineGrained is how many postings a task has, of the shortest
	// list of a conjunction or of those lists that a disjunction accumulates. 0
	// means large tasks first, then smaller ones, and one for a query that is small.
	TaskPostings int
	// SpinFor is how long a worker that has run out of work looks for more before it
	// sleeps: a query that comes meanwhile need not wait until workers are awake. It
	// costs at most that much CPU time for each worker that worked on a query. A
	// worker that found no work in that time the last time gives up after
	// DefaultSpinFor, and an eighth of the CPUs is left to others. 0 means DefaultSpinFor,
	// for FineGrained DefaultFineSpinFor; less than 0 not at all.
	SpinFor time.Duration
}

const defaultThreshold = 5

// ErrPoolClosed is what a closed Pool returns.
var ErrPoolClosed = errors.New("query: pool is closed")

// Pool answers queries on several goroutines by one of the models. It is an
// Executor and safe for concurrent use. Query.Trace is left alone.
type Pool struct {
	s       *Searcher
	options PoolOptions

	entry   *ring[*job]    // queries not begun
	tasks   *ring[task]    // FineGrained: the intersection task pool
	scoring *ring[*scored] // FineGrained: the scoring task pool
	workers []*worker
	jobs    sync.Pool
	scores  sync.Pool // of *scored

	spinning, sleeping workerSet // workers without work
	mostSpinning       int       // at a time

	// What idle workers look at lies apart from what every query changes.
	ended   atomic.Bool // no more queries will come
	turn    atomic.Bool // DocRanges, Partitions: a query is under way
	_       [64]byte
	serial  atomic.Uint64 // of the last job
	queries atomic.Int64  // under way or waiting, plus poolClosed
	passes  atomic.Uint64 // and so on: PoolCounts

	taskCount, scoringTasks atomic.Uint64
	splitting               atomic.Int64
	expected                atomic.Int32  // FineGrained: tasks of a query, of late; in expectedUnit-ths
	drained                 chan struct{} // receives a value when a closed Pool has no more
	running                 sync.WaitGroup
}

const poolClosed = 1 << 62

// PoolCounts are what a Pool has done since it was made.
type PoolCounts struct {
	Passes       uint64        // conjunctions and disjunctions that were cut into tasks
	Tasks        uint64        // that these were cut into
	ScoringTasks uint64        // that came on top
	Performed    uint64        // of both; the others were dropped, as their queries had failed
	Splitting    time.Duration // spent on making tasks, by all workers together
}

// Counts returns what p has done. Inter makes no tasks.
func (p *Pool) Counts() PoolCounts {
	c := PoolCounts{Passes: p.passes.Load(), Tasks: p.taskCount.Load(), ScoringTasks: p.scoringTasks.Load(), Splitting: time.Duration(p.splitting.Load())}
	for _, w := range p.workers {
		c.Performed += w.performed.Load()
	}
	return c
}

// count notes that a pass was cut.
func (p *Pool) count(tasks int, took time.Duration) {
	p.passes.Add(1)
	p.taskCount.Add(uint64(tasks))
	p.splitting.Add(int64(took))
	if p.options.Model == FineGrained {
		e := p.expected.Load()
		p.expected.Store(e + (int32(min(tasks, 1<<20))*expectedUnit-e)/4)
	}
}

// exclusive reports whether one query is processed at a time.
func (p *Pool) exclusive() bool {
	return p.options.Model == DocRanges || p.options.Model == Partitions
}

// NewPool starts workers. Close ends them.
func NewPool(s *Searcher, o PoolOptions) (*Pool, error) {
	if int(o.Model) >= len(modelNames) || o.Workers < 0 || o.Threshold < 0 || o.TaskPostings < 0 {
		return nil, fmt.Errorf("query: bad pool options %+v", o)
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
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
	p := &Pool{s: s, options: o, entry: newRing[*job](1 << 12), tasks: newRing[task](1 << 12), scoring: newRing[*scored](1 << 10),
		drained: make(chan struct{}, 1), spinning: newWorkerSet(o.Workers), sleeping: newWorkerSet(o.Workers)}
	procs := runtime.GOMAXPROCS(0)
	cpus := min(procs, runtime.NumCPU())
	p.mostSpinning = cpus - freeProcs(cpus)
	p.jobs.New = func() any { return &job{pool: p, done: make(chan struct{}, 1)} }
	p.scores.New = func() any { return new(scored) }
	for i := range o.Workers {
		w := &worker{pool: p, index: i, own: newRing[task](1 << 12), patience: o.SpinFor}
		w.sleeper.init(i < procs-freeProcs(procs))
		p.workers = append(p.workers, w)
	}
	for _, w := range p.workers {
		p.running.Go(w.loop)
	}
	return p, nil
}

// Close waits for the queries under way and ends the workers. Further calls do
// nothing.
func (p *Pool) Close() {
	if n := p.queries.Or(poolClosed); n&poolClosed == 0 {
		if n > 0 {
			<-p.drained
		}
		p.ended.Store(true)
		for _, w := range p.workers {
			p.unpark(w)
		}
	}
	p.running.Wait()
}

// leave ends what adding to queries began.
func (p *Pool) leave() {
	if p.queries.Add(-1) == poolClosed {
		select {
		case p.drained <- struct{}{}:
		default:
		}
	}
}

// Search answers one query.
func (p *Pool) Search(ctx context.Context, q Query) (Result, error) {
	hits, err := p.AppendHits(ctx, nil, &q)
	return Result{Hits: hits}, err
}

// AppendHits is Searcher.AppendHits.
func (p *Pool) AppendHits(ctx context.Context, dst []Hit, q *Query) ([]Hit, error) {
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	if q.K <= 0 || len(q.Terms) == 0 {
		return dst, nil
	}
	j, err := p.enter(ctx, q)
	if err != nil {
		return dst, err
	}
	if w := p.borrow(); w != nil {
		w.answer(j)
		p.giveBack(w)
	} else if err := p.enqueue(j); err != nil {
		return dst, err
	}
	return p.wait(j, dst)
}

// Execute answers a batch, all queries of it at once.
func (p *Pool) Execute(ctx context.Context, queries []Query) ([]Result, error) {
	results := make([]Result, len(queries))
	waiting := make([]*job, len(queries))
	var failed error
	for i := range queries {
		if failed = ctx.Err(); failed != nil {
			break
		}
		if q := &queries[i]; q.K > 0 && len(q.Terms) > 0 {
			if waiting[i], failed = p.start(ctx, q, nil); failed != nil {
				waiting[i] = nil
				break
			}
		}
	}
	for i, j := range waiting {
		if j == nil {
			continue
		}
		hits, err := p.wait(j, nil)
		if err != nil && failed == nil {
			failed = fmt.Errorf("query %d: %w", i, err)
		}
		results[i].Hits = hits
	}
	if failed != nil {
		return nil, failed
	}
	return results, nil
}

// Submit starts a query and returns without waiting for it, except for room where
// thousands wait already. Once, and only if Submit itself returns no error, done is
// called with what AppendHits would return: on a goroutine of the Pool, which it
// must not hold up. The hits are valid during that call. What q refers to must not
// change before.
func (p *Pool) Submit(ctx context.Context, q *Query, done func(hits []Hit, err error)) error {
	if q.K <= 0 || len(q.Terms) == 0 {
		done(nil, ctx.Err())
		return nil
	}
	_, err := p.start(ctx, q, done)
	return err
}

// enter makes a job of a query.
func (p *Pool) enter(ctx context.Context, q *Query) (*job, error) {
	if p.queries.Add(1)&poolClosed != 0 {
		p.leave()
		return nil, ErrPoolClosed
	}
	j := p.jobs.Get().(*job)
	j.start(ctx, *q)
	return j, nil
}

// enqueue puts j into the entry queue, or fails when its context ends before there
// is room.
func (p *Pool) enqueue(j *job) error {
	for !p.entry.push(j) {
		if err := j.ctx.Err(); err != nil {
			p.recycle(j)
			return err
		}
		runtime.Gosched()
	}
	p.wake(max(1, p.foreseen()))
	return nil
}

// start puts a query into the entry queue.
func (p *Pool) start(ctx context.Context, q *Query, notify func([]Hit, error)) (*job, error) {
	j, err := p.enter(ctx, q)
	if err != nil {
		return nil, err
	}
	j.notify = notify
	return j, p.enqueue(j)
}

// wait waits for the result of j, and takes it back. When the context is done it
// does not wait for j's turn, nor for more than what its tasks have in hand.
func (p *Pool) wait(j *job, dst []Hit) ([]Hit, error) {
	j.awaited.Store(true)
	select {
	case <-j.done:
	case <-j.ctx.Done():
		if err := j.ctx.Err(); j.state.CompareAndSwap(queued, abandoned) {
			return dst, err // the worker that finds it takes it back
		} else {
			j.fail(err)
		}
		<-j.done
	}
	dst, err := j.result(dst)
	p.recycle(j)
	return dst, err
}

// recycle makes j free for another query.
func (p *Pool) recycle(j *job) {
	j.lead.forget()
	j.ctx, j.q, j.notify = nil, Query{}, nil
	p.jobs.Put(j)
	p.leave()
}
