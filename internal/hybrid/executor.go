package hybrid

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Executor answers queries on the CPU and the GPU. It implements search.Executor and is
// safe for concurrent use. The caller closes it. The zero value is a closed Executor.
type Executor struct {
	cpu     *pool.Pool
	ofPart  bool // of a collection: queries bring Frequencies
	options Options
	start   time.Time
	workers int // of the Pool, at most as many as cores

	gpu    atomic.Pointer[device]   // nil until there is one
	gone   atomic.Bool              // the GPU is not used: not yet, or no more
	opened chan struct{}            // closed when it is known whether there is one
	coming *gpu.Opening             // it is being opened, or was; may be nil
	cancel func()                   // ends the opening
	free   func() error             // releases what Open holds
	open   *OpenOptions             // of Open, or nil
	before gpu.Reasoned             // what the GPU had left to the CPU when Follow took it over
	last   atomic.Pointer[Answered] // what Answered returns once the GPU is another's; or nil

	jobs spares
	gate gate

	pinned, suited, either *backlog // for the cores; for the GPU, which is sooner; for either
	lanes                  lanes
	load                   load
	cost                   *cost
	meter                  *meter
	groups                 groups

	mu      sync.Mutex // guards the fields below
	why     error      // the GPU is not used
	shut    bool       // Close has ended the lanes
	faults  int        // batches that failed one after the other
	running sync.WaitGroup

	missed                         [2]atomic.Int64 // by the CPU, by the GPU
	handed                         atomic.Int64    // queries that the GPU has left to the cores
	batches, again, alone, grouped atomic.Int64
}

var _ search.Executor = (*Executor)(nil)

// New returns an Executor over a Pool and an executor on a GPU, both over the same
// snapshot and with the same scores. gpu should answer what the device cannot on the Pool
// (gpu.Options.CPU); nil means that there is no GPU. The caller closes the Executor
// before the two. The error matches query.ErrInvalid, also for two snapshots.
func New(cpu *pool.Pool, gpu search.Executor, o Options) (*Executor, error) {
	if cpu == nil {
		return nil, fmt.Errorf("%w: hybrid without a pool", query.ErrInvalid)
	}
	if g, ok := gpu.(interface{ Serves(*search.Searcher) bool }); ok && !g.Serves(cpu.Searcher()) {
		return nil, fmt.Errorf("%w: hybrid over two snapshots", query.ErrInvalid)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	o.setDefaults()
	x := &Executor{cpu: cpu, cost: newCost(), meter: new(meter), ofPart: cpu.Searcher().OfPart(), options: o, start: time.Now(), workers: min(runtime.GOMAXPROCS(0), runtime.NumCPU(), cpu.Workers()), opened: make(chan struct{}), cancel: func() {},
		pinned: newBacklog(1), suited: newBacklog(1), either: newBacklog(16)}
	x.gate.init(o.Queue)
	x.load.init()
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
func (x *Executor) Submit(ctx context.Context, q *search.Query, done func(hits []search.Hit, err error)) error {
	if q == nil || done == nil {
		return fmt.Errorf("%w: no query, or no function to call with its answer", query.ErrInvalid)
	}
	if x.cpu == nil {
		return ErrClosed
	}
	if q.Total {
		own := *q
		own.Total, q = false, &own
	}
	return x.begin(ctx, q, x.gate.admit, func(hits []search.Hit, _ uint64, err error) { done(hits, err) })
}

// begin lets a query in if room makes some for it.
func (x *Executor) begin(ctx context.Context, q *search.Query, room func(p *part, n int) error, done func(hits []search.Hit, total uint64, err error)) error {
	j := x.newJob()
	if err := room(j.part, 1); err != nil {
		x.jobs.put(j)
		return err
	}
	if err := j.set(ctx, q); err != nil {
		j.drop()
		return err
	}
	j.notify = done
	j.enter()
	return nil
}

// Stats returns what x has done so far.
func (x *Executor) Stats() Stats {
	if x.cpu == nil {
		return Stats{}
	}
	now := x.now()
	s := Stats{Batches: x.batches.Load(), Again: x.again.Load(), Shed: x.gate.shed.Load(), Alone: x.alone.Load(), Grouped: x.grouped.Load(), Opening: !isClosed(x.opened)}
	for by, to := range []*Share{&s.CPU, &s.GPU} {
		*to = Share{Queries: x.gate.taken(by), Missed: x.missed[by].Load()}
		s.Missed += to.Missed
	}
	s.CPU.Time, s.GPU.Time = time.Duration(x.load.each.Load()), x.cost.gpu(query.ModeAnd, now)
	s.Waiting = Waiting{CPU: int(x.pinned.len()), GPU: int(x.suited.len()), Either: int(x.either.len()), Most: int(x.either.most.Load())}
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
	if x.cpu == nil || x.gate.ended.Swap(true) {
		return nil
	}
	if x.drain(); x.hung() {
		return nil // what the GPU may still use stays
	}
	x.running.Wait()
	if x.free != nil {
		return x.free()
	}
	return nil
}

// drain waits for the queries that were accepted, when no others are, and lets the cores rest no more.
func (x *Executor) drain() {
	x.gate.room.Lock()
	x.gate.available.Broadcast()
	x.gate.room.Unlock()
	x.cancel()
	for x.gate.held() > 0 {
		<-x.gate.drained
	}
	x.mu.Lock()
	x.shut = true
	x.mu.Unlock()
	x.gone.Store(true)
	x.load.leave(x.cpu)
}

// hung reports whether the GPU has been given up because it did not answer.
func (x *Executor) hung() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return errors.Is(x.why, ErrHung)
}
