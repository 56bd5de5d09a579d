package hybrid

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
)

// Executor answers queries on the CPU and the GPU. It implements query.Executor and is
// safe for concurrent use. The caller closes it. The zero value is a closed Executor.
type Executor struct {
	cpu     *pool.Pool
	gpu     atomic.Pointer[device] // nil until there is one
	opened  chan struct{}          // closed when it is known whether there is one
	coming  *gpuload.Opening       // it is being opened, or was; may be nil
	options Options
	start   time.Time
	jobs    spares
	slice   int64 // predicted work after which a worker lets other goroutines run, over the number of workers

	drained chan struct{}
	lanes   chan *batch
	running sync.WaitGroup
	cancel  func()       // ends the opening of the GPU
	free    func() error // releases what Open holds
	alone   atomic.Int64 // queries that were alone

	chunk   atomic.Int64 // so many answers of the CPU call pump
	hungry  atomic.Bool  // a processor is idle: an arrival calls pump
	serving atomic.Int64 // batches on the GPU and goroutines of the stock: they need cores beside the Pool's workers
	waiters atomic.Int64 // goroutines that wait for room

	// What every query changes lies in cache lines of its own.
	_       [64]byte
	held    atomic.Int64 // queries in the Executor, plus closed
	_       [64]byte
	arrived intake
	_       [64]byte
	onPool  atomic.Int64 // queries
	begun   tally        // by the Pool, bypassing the queues
	done    tally        // by the Pool
	_       [64]byte

	limit    atomic.Int64 // with fewer queries on the Pool, others bypass the queues
	soonest  atomic.Int64 // the least time that the GPU takes for a query
	weighing weighing

	bulk     bulk         // of Execute
	gone     atomic.Bool  // the GPU is retired
	calls    atomic.Int64 // of pump
	handed   []*entry     // memory of the goroutine in pump
	absorbed func()       // called after absorb; set by tests only
	arrivals []*job       // the same
	mu       sync.Mutex   // guards the fields below
	policy   *policy
	told     struct{ begun, done int64 } // begun.work and done.work as the policy knows them
	why      error                       // the GPU is retired
	shut     bool                        // Close has ended the lanes
	spared   int                         // Ps that the Pool leaves
	faults   int                         // batches that failed one after the other
	most     int
	again    int64

	shed      atomic.Int64
	missed    [2]atomic.Int64 // by the CPU, by the GPU
	room      sync.Mutex      // for those that wait for room
	available *sync.Cond
}

var _ query.Executor = (*Executor)(nil)

const closed = 1 << 62

// New returns an Executor over a Pool and an executor on a GPU, both over the same
// snapshot and with the same scores. gpu should answer what the device cannot on the Pool
// (gpuload.Options.CPU); nil means that there is no GPU. The caller closes the Executor
// before the two. The error matches query.ErrInvalid, also for two snapshots.
func New(cpu *pool.Pool, gpu query.Executor, o Options) (*Executor, error) {
	if cpu == nil {
		return nil, fmt.Errorf("%w: hybrid without a pool", query.ErrInvalid)
	}
	if g, ok := gpu.(interface{ Serves(*query.Searcher) bool }); ok && !g.Serves(cpu.Searcher()) {
		return nil, fmt.Errorf("%w: hybrid over two snapshots", query.ErrInvalid)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	o.setDefaults()
	x := &Executor{cpu: cpu, options: o, start: time.Now(), opened: make(chan struct{}), drained: make(chan struct{}, 1),
		cancel: func() {}, lanes: make(chan *batch, o.Lanes), policy: newPolicy(&o, cpu.Workers())}
	x.chunk.Store(1)
	x.hungry.Store(true)
	x.weighing.init()
	x.slice = max(int64(turn)/int64(cpu.Workers()), 1)
	x.available = sync.NewCond(&x.room)
	x.bulk.gather.Store(leastGroup)
	x.bulk.stock = newStock(&o, cpu.Workers(), false)
	x.policy.retired = true
	if gpu != nil {
		x.join(newDevice(gpu, o.Model))
	}
	close(x.opened)
	return x, nil
}

// job is a query in an Executor.
type job struct {
	x         *Executor
	ctx       context.Context
	q         query.Query
	notify    func([]query.Hit, error)
	at        time.Duration // of the arrival
	after     time.Duration // deadline after the arrival; 0: none
	turn      atomic.Uint64 // counts the queries that the job has served
	predicted bool          // the policy may have it

	// For the queues.
	entry entry
	infos []*query.TermInfo
	onCPU func([]query.Hit, error) // j.answered
	stays func() bool              // j.weighed
	model time.Duration            // of a core, by the Model, if a worker has weighed the query
	began time.Duration            // when it had
}

// newJob returns a job without a query.
func (x *Executor) newJob() *job {
	if j := x.jobs.get(); j != nil {
		return j
	}
	j := &job{x: x}
	j.entry.job = j
	j.onCPU, j.stays = j.answered, j.weighed
	return j
}

func (x *Executor) now() time.Duration { return time.Since(x.start) }

// Submit starts a query and returns without waiting for its answer. Unless it returns an
// error, it calls done once, on a goroutine of the Executor, which done must not block.
// The hits are the caller's. q's slices and filter must not change before that call. A nil ctx
// means context.Background. The error is the context's, or matches ErrOverload, ErrClosed or query.ErrInvalid.
func (x *Executor) Submit(ctx context.Context, q *query.Query, done func(hits []query.Hit, err error)) error {
	if q == nil || done == nil {
		return fmt.Errorf("%w: no query, or no function to call with its answer", query.ErrInvalid)
	}
	if err := x.hold(1); err != nil {
		return err
	}
	j, err := x.prepare(ctx, q)
	if err != nil {
		x.leave(1)
		return err
	}
	j.notify = done
	x.enter(j)
	return nil
}

// hold makes room for n queries, or fails.
func (x *Executor) hold(n int) error {
	if x.cpu == nil {
		return ErrClosed
	}
	if h := x.held.Add(int64(n)); h&closed != 0 || h > int64(x.options.Queue) {
		x.leave(n)
		if h&closed != 0 {
			return ErrClosed
		}
		x.shed.Add(int64(n))
		return ErrOverload
	}
	return nil
}

// await makes room for n queries, at most Options.Queue, and waits until there is some.
func (x *Executor) await(ctx context.Context, n int) error {
	stop := context.AfterFunc(ctx, func() {
		x.room.Lock()
		defer x.room.Unlock()
		x.available.Broadcast()
	})
	defer stop()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := x.held.Load()
		switch {
		case h&closed != 0:
			return ErrClosed
		case h == 0 || h+int64(n) <= int64(x.options.Queue):
			if x.held.CompareAndSwap(h, h+int64(n)) {
				return nil
			}
			continue
		}
		x.room.Lock()
		x.waiters.Add(1)
		if h := x.held.Load(); h > 0 && h&closed == 0 && h+int64(n) > int64(x.options.Queue) && ctx.Err() == nil {
			x.available.Wait()
		}
		x.waiters.Add(-1)
		x.room.Unlock()
	}
}

// leave undoes hold.
func (x *Executor) leave(n int) {
	if h := x.held.Add(-int64(n)); h == closed {
		select {
		case x.drained <- struct{}{}:
		default:
		}
	}
	if x.waiters.Load() > 0 {
		x.room.Lock()
		x.available.Broadcast()
		x.room.Unlock()
	}
}

// prepare makes a job of a query. Unless many wait, or it may bypass the queues, it looks up
// the lengths of its lists and predicts its cost.
func (x *Executor) prepare(ctx context.Context, q *query.Query) (*job, error) {
	ctx = orBackground(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := q.Check(); err != nil {
		return nil, err
	}
	j := x.newJob()
	j.ctx, j.q, j.at = ctx, *q, x.now()
	j.q.Trace = false
	if err := x.complete(&j.q); err != nil {
		x.recycle(j)
		return nil, err
	}
	j.after = x.within(ctx)
	if !x.bulk.crowded.Load() && !x.bypasses(&j.q) {
		if err := x.expect(j); err != nil {
			x.recycle(j)
			return nil, err
		}
	}
	return j, nil
}

// within returns how long after its arrival a query with ctx should be answered; 0 for any time.
func (x *Executor) within(ctx context.Context) time.Duration {
	after := x.options.Deadline
	if at, ok := ctx.Deadline(); ok {
		if left := min(max(time.Until(at), 1), farthestDeadline); after == 0 || left < after {
			after = left
		}
	}
	return after
}

// expect says what the policy needs to know of a job.
func (x *Executor) expect(j *job) (err error) {
	gpu, e := x.gpu.Load(), &j.entry
	e.pinned, e.cost, j.predicted = gpu == nil || !supported(&j.q), Cost{}, true
	if gpu == nil {
		return nil
	}
	if e.cost, err = x.predict(gpu, &j.q, &j.infos); err != nil {
		e.pinned = true
	}
	return err
}

// supported reports whether a GPU may answer q.
func supported(q *query.Query) bool {
	return q.K > 0 && q.K <= maxK && len(q.RawTerms) > 0 && len(q.RawTerms) <= maxTerms && q.Filter == nil
}

// Limits of gpuload.Executor.
const (
	maxK     = 1024
	maxTerms = 64
)

func (x *Executor) recycle(j *job) {
	j.turn.Add(1)
	j.predicted = false
	j.ctx, j.q, j.notify = nil, query.Query{}, nil
	x.jobs.put(j)
}

// pump lets queries and results in and hands out work. One goroutine at a time does so;
// others that come meanwhile leave it to that one.
func (x *Executor) pump() {
	if x.calls.Add(1) > 1 {
		return
	}
	yield := false
	for {
		seen := x.calls.Load()
		x.mu.Lock()
		many := x.absorb()
		if x.absorbed != nil {
			x.absorbed()
		}
		begun := x.hand(x.handed[:0])
		x.mu.Unlock()
		yield = x.crowd(many) || yield
		for i, e := range begun {
			begun[i] = nil
			x.onCPU(e.job)
		}
		x.handed = begun
		if x.overlooked() {
			continue
		}
		if x.calls.Add(-seen) == 0 {
			break
		}
	}
	if yield {
		runtime.Gosched()
	}
}

// overlooked reports whether something has happened between absorb and the end of hand for which
// nobody else calls pump: queries may have arrived while hungry was false, and answers of the CPU
// while chunk was larger. While crowded, release sees to the queries.
func (x *Executor) overlooked() bool {
	return x.hungry.Load() && !x.bulk.crowded.Load() && x.arrived.len() > 0 || x.done.queries.Load() >= x.chunk.Load()
}

// absorb tells the policy what has happened, and returns the jobs that are for the stock. x.mu
// must be held.
func (x *Executor) absorb() (many []*job) {
	p, now := x.policy, x.now()
	p.observe(x.hosts(), now)
	x.settle(now)
	p.occupied(time.Duration(x.bulk.gpuDone[0].Load()), time.Duration(x.bulk.gpuDone[1].Load()), now)
	jobs, crowd := x.arrive(p.waiting())
	if p.use.observe(now); crowd {
		p.use.take(now)
	}
	x.spare()
	if crowd {
		return jobs
	}
	for _, j := range jobs {
		if !j.predicted {
			_ = x.expect(j) // the CPU will find the same error
		}
		x.reconsider(j, now)
		p.add(&j.entry, j.at, j.after)
	}
	x.most = max(x.most, p.waiting())
	return nil
}

// hand takes from the policy what the processors begin, gives batches to the lanes and
// returns the queries of the CPU. x.mu must be held.
func (x *Executor) hand(begun []*entry) []*entry {
	p, now := x.policy, x.now()
	begun = p.takeCPU(now, begun)
	for {
		b := batches.Get().(*batch)
		if b.entries, b.work = p.takeGPU(now, b.entries[:0]); len(b.entries) == 0 {
			batches.Put(b)
			break
		}
		x.serving.Add(1)
		x.lanes <- b // has room for p.lanes batches
	}
	x.publish()
	return begun
}

// onCPU gives a query to the Pool.
func (x *Executor) onCPU(j *job) {
	x.onPool.Add(1)
	if err := x.cpu.Submit(j.ctx, &j.q, j.onCPU); err != nil {
		go j.answered(nil, err) // not in the goroutine that calls Submit
	}
}

// answered delivers the answer of the CPU. It runs on a worker of the Pool.
func (j *job) answered(hits []query.Hit, err error) {
	x, work := j.x, j.entry.cost.CPU
	x.onPool.Add(-1)
	if j.model > 0 {
		x.weighing.answered(j.q.Mode, j.model, x.now()-j.began)
		j.model = 0 // not in recycle: a cache line that answers of the stock do not need
	}
	x.deliver(j, 0, hits, err)
	x.leave(1)
	total := x.done.work.Add(int64(work))
	if n := x.done.queries.Add(1); n >= x.chunk.Load() {
		x.pump()
	}
	if x.serving.Load() > 0 && total/x.slice != (total-int64(work))/x.slice {
		runtime.Gosched()
	}
}

// spare makes the Pool's workers leave Ps to the goroutines that serve the GPU, one for each
// lane, unless it is used little. Workers that wait for queries would hold nearly all Ps otherwise, and
// a lane that returns from the driver would wait for one until Go's sysmon looks, up to 10 ms. x.mu
// must be held.
func (x *Executor) spare() {
	n := 0
	if x.policy.spares() {
		n = min(x.options.Lanes, (x.cpu.Workers()+1)/2)
	}
	if n != x.spared {
		x.spared = n
		x.cpu.Rest(trusted.Caller{}, n)
	}
}

// turn is how long a worker of the Pool works while others wait for its core, in
// predicted time.
const turn = 64 * time.Microsecond

// deliver hands the answer of a query to its caller. by is 0 for the CPU, 1 for the GPU. The caller
// calls leave.
func (x *Executor) deliver(j *job, by int, hits []query.Hit, err error) {
	x.late(j.at, j.after, by)
	j.notify(hits, err)
	x.recycle(j)
}

// late counts a query that arrived at some time if it is answered too late.
func (x *Executor) late(at, after time.Duration, by int) {
	if after > 0 && x.now() > at+after {
		x.missed[by].Add(1)
	}
}

// Stats returns what x has done so far.
func (x *Executor) Stats() Stats {
	if x.cpu == nil {
		return Stats{}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.now()
	x.settle(now)
	s := x.policy.snapshot(now)
	s.CPU.Missed, s.GPU.Missed = x.missed[0].Load(), x.missed[1].Load()
	s.Missed = s.CPU.Missed + s.GPU.Missed
	s.Shed, s.Again, s.Waiting.Most, s.Retired = x.shed.Load(), x.again, x.most, x.why
	s.Alone, s.Opening = x.alone.Load(), !isClosed(x.opened)
	x.bulk.report(&s, now)
	return s
}

// Close makes later queries fail with ErrClosed, waits for those that were accepted, and
// ends the lanes. Further calls do nothing. It must not be called by the function that
// Submit is given. It does not close the Pool and the GPU's executor that New was given. It
// does not wait for a GPU that Open has not opened yet either: once the driver is done with
// that, the GPU is closed in the background.
func (x *Executor) Close() error {
	if x.cpu == nil {
		return nil
	}
	h := x.held.Or(closed)
	if h&closed != 0 {
		return nil
	}
	x.room.Lock()
	x.available.Broadcast()
	x.room.Unlock()
	x.cancel()
	if h > 0 {
		<-x.drained
	}
	x.mu.Lock()
	x.shut = true
	x.spared = 0
	x.cpu.Rest(trusted.Caller{}, 0)
	hung := errors.Is(x.why, ErrHung)
	x.mu.Unlock()
	close(x.lanes)
	if hung {
		return nil // what the GPU may still use stays
	}
	x.running.Wait()
	if x.free != nil {
		return x.free()
	}
	return nil
}
