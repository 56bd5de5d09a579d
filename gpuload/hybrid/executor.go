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
	ofPart  bool // of a collection: queries bring Frequencies
	options Options
	start   time.Time
	workers int // of the Pool, at most as many as cores

	gpu    atomic.Pointer[device] // nil until there is one
	gone   atomic.Bool            // the GPU is not used: not yet, or no more
	opened chan struct{}          // closed when it is known whether there is one
	coming *gpuload.Opening       // it is being opened, or was; may be nil
	cancel func()                 // ends the opening
	free   func() error           // releases what Open holds

	ended   atomic.Bool
	drained chan struct{} // receives a value when a part of an Executor that has ended has no more queries
	made    atomic.Int64  // jobs
	jobs    spares
	_       [64]byte
	parts   [parts]part

	pinned, suited, either *backlog // for the cores; for the GPU, which is sooner; for whoever takes them
	lanes                  lanes
	load                   load
	cost                   cost
	meter                  meter
	groups                 groups

	mu      sync.Mutex // guards the fields below
	why     error      // the GPU is not used
	shut    bool       // Close has ended the lanes
	faults  int        // batches that failed one after the other
	running sync.WaitGroup

	waiters   atomic.Int64 // goroutines that wait for room
	room      sync.Mutex
	available *sync.Cond

	stolen, missed                       [2]atomic.Int64 // by the CPU, by the GPU
	batches, again, shed, alone, grouped atomic.Int64
	most                                 atomic.Int64
}

var _ query.Executor = (*Executor)(nil)

// parts is how many counters stand for one that every query changes.
const parts = 32

// part counts the queries of some jobs: those in the Executor, and those that each processor has taken.
type part struct {
	held  atomic.Int64
	taken [2]atomic.Int64 // by the CPU, by the GPU
	came  atomic.Int64    // one at a time
	cores atomic.Int64    // given to the Pool, which has not answered them
	_     [88]byte
}

func (x *Executor) held() (n int64) {
	for i := range x.parts {
		n += x.parts[i].held.Load()
	}
	return n
}

// onCores reports whether the Pool has queries of x to answer.
func (x *Executor) onCores() bool {
	for i := range x.parts {
		if x.parts[i].cores.Load() > 0 {
			return true
		}
	}
	return false
}

// taken returns how many queries the CPU, by 0, or the GPU, by 1, has taken.
func (x *Executor) taken(by int) (n int64) {
	for i := range x.parts {
		n += x.parts[i].taken[by].Load()
	}
	return n
}

// came returns how many queries have arrived, other than in groups.
func (x *Executor) came() (n int64) {
	for i := range x.parts {
		n += x.parts[i].came.Load()
	}
	return n
}

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
	x := &Executor{cpu: cpu, ofPart: cpu.Searcher().OfPart(trusted.Caller{}), options: o, start: time.Now(), workers: min(runtime.GOMAXPROCS(0), runtime.NumCPU(), cpu.Workers()), opened: make(chan struct{}), cancel: func() {},
		drained: make(chan struct{}, 1), pinned: newBacklog(1), suited: newBacklog(1), either: newBacklog(16)}
	x.available = sync.NewCond(&x.room)
	x.cost.init()
	x.load.init(x.workers)
	x.groups.plan(false, x.workers)
	x.gone.Store(true)
	if gpu != nil && o.Mode != OnlyCPU {
		x.join(newDevice(gpu))
	}
	close(x.opened)
	return x, nil
}

func (x *Executor) now() time.Duration { return time.Since(x.start) }

// Submit starts a query and returns without waiting for its answer. Unless it returns an
// error, it calls done once, on a goroutine of the Executor, which done must not block.
// The hits are the caller's; what else a query asks for, such as Facets, only Search and Execute give. q's slices
// and filter must not change before that call. A nil ctx means context.Background. The error is the context's, or matches ErrOverload, ErrClosed or query.ErrInvalid.
func (x *Executor) Submit(ctx context.Context, q *query.Query, done func(hits []query.Hit, err error)) error {
	if q == nil || done == nil {
		return fmt.Errorf("%w: no query, or no function to call with its answer", query.ErrInvalid)
	}
	if x.cpu == nil {
		return ErrClosed
	}
	return x.begin(ctx, q, x.admit, done)
}

// begin lets a query in if room makes some for it.
func (x *Executor) begin(ctx context.Context, q *query.Query, room func(p *part, n int) error, done func(hits []query.Hit, err error)) error {
	j := x.newJob()
	if err := room(j.part, 1); err != nil {
		x.jobs.put(j)
		return err
	}
	if err := j.set(ctx, q); err != nil {
		x.drop(j)
		return err
	}
	j.notify = done
	x.enter(j)
	return nil
}

// admit counts n queries in p, or fails.
func (x *Executor) admit(p *part, n int) error {
	held := p.held.Add(int64(n))
	switch most := int64(x.options.Queue); {
	case x.ended.Load():
		x.leave(p, n)
		return ErrClosed
	case held > most/parts && x.held() > most:
		x.leave(p, n)
		x.shed.Add(int64(n))
		return ErrOverload
	}
	return nil
}

// await is admit that waits for room.
func (x *Executor) await(ctx context.Context, p *part, n int) error {
	stop := context.AfterFunc(ctx, func() {
		x.room.Lock()
		defer x.room.Unlock()
		x.available.Broadcast()
	})
	defer stop()
	x.room.Lock()
	defer x.room.Unlock()
	x.waiters.Add(1)
	defer x.waiters.Add(-1)
	for {
		p.held.Add(int64(n))
		err := ctx.Err()
		if x.ended.Load() {
			err = ErrClosed
		}
		if held := x.held(); err == nil && (held <= int64(x.options.Queue) || held == int64(n)) {
			return nil
		}
		x.uncount(p, n)
		if err != nil {
			return err
		}
		x.available.Wait()
	}
}

// leave undoes admit and await.
func (x *Executor) leave(p *part, n int) {
	x.uncount(p, n)
	if x.waiters.Load() > 0 {
		x.room.Lock()
		x.available.Broadcast()
		x.room.Unlock()
	}
}

func (x *Executor) uncount(p *part, n int) {
	if p.held.Add(-int64(n)) == 0 && x.ended.Load() {
		select {
		case x.drained <- struct{}{}:
		default:
		}
	}
}

// Stats returns what x has done so far.
func (x *Executor) Stats() Stats {
	if x.cpu == nil {
		return Stats{}
	}
	now := x.now()
	s := Stats{Batches: x.batches.Load(), Again: x.again.Load(), Shed: x.shed.Load(), Alone: x.alone.Load(), Grouped: x.grouped.Load(), Opening: !isClosed(x.opened)}
	for by, to := range []*Share{&s.CPU, &s.GPU} {
		*to = Share{Queries: x.taken(by), Stolen: x.stolen[by].Load(), Missed: x.missed[by].Load()}
		s.Missed += to.Missed
	}
	s.CPU.Time, s.GPU.Time = time.Duration(x.load.each.Load()), x.cost.gpu(query.And, now)
	s.Waiting = Waiting{CPU: int(x.pinned.len()), GPU: int(x.suited.len()), Either: int(x.either.len()), Most: int(x.most.Load())}
	x.mu.Lock()
	defer x.mu.Unlock()
	s.Retired = x.why
	return s
}

// Close makes later queries fail with ErrClosed, waits for those that were accepted, and
// ends the lanes. Further calls do nothing. It must not be called by the function that
// Submit is given. It does not close the Pool and the GPU's executor that New was given. It
// does not wait for a GPU that Open has not opened yet either: once the driver is done with
// that, the GPU is closed in the background.
func (x *Executor) Close() error {
	if x.cpu == nil || x.ended.Swap(true) {
		return nil
	}
	x.room.Lock()
	x.available.Broadcast()
	x.room.Unlock()
	x.cancel()
	for x.held() > 0 {
		<-x.drained
	}
	x.mu.Lock()
	x.shut = true
	hung := errors.Is(x.why, ErrHung)
	x.mu.Unlock()
	x.cpu.Rest(trusted.Caller{}, 0)
	if hung {
		return nil // what the GPU may still use stays
	}
	x.running.Wait()
	if x.free != nil {
		return x.free()
	}
	return nil
}
