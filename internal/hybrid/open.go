package hybrid

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// OpenOptions configure Open. The zero value selects the defaults.
type OpenOptions struct {
	Options
	Pool pool.Options
	// GPU configures the executors on the devices. Open sets its CPU and Scorer.
	GPU gpu.Options
	// GPUs is the number of GPUs; 0 means all of them.
	GPUs int
}

// Open returns an Executor with a Pool and a Group of its own. It does not wait for the
// GPU, whose driver, memory and kernels take up to a second, or a minute if the driver compiles
// the kernels: until they are ready the CPU answers, and for good if there is no device or it
// has too little memory. Ready waits, and says why there is no GPU, as Stats does. The Executor
// retains the snapshot and the Searcher, which must be over that snapshot and may be of a part of a collection
// (search.Options.Collection): the caller may close both at any time, and closes the Executor. A
// GPU that is still being opened then keeps what it needs. The error matches query.ErrInvalid or reader.ErrClosed.
func Open(s *reader.Snapshot, q *search.Searcher, o OpenOptions) (*Executor, error) {
	if s == nil || q == nil {
		return nil, fmt.Errorf("%w: hybrid without a snapshot or a searcher", query.ErrInvalid)
	}
	if !q.Over(s) {
		return nil, fmt.Errorf("%w: hybrid over two snapshots", query.ErrInvalid)
	}
	if !q.OwnStatistics() && !q.OfPart() {
		return nil, fmt.Errorf("%w: hybrid with a searcher that scores with the statistics of another index", query.ErrInvalid)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	s, err := s.Retain()
	if err != nil {
		return nil, err
	}
	cpu, err := pool.New(q, o.Pool)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if o.Mode == OnlyCPU {
		return start(cpu, o.Options, nil, s.Close)
	}
	o.GPU.Scorer = q.Scorer()
	var p *gpu.Opening
	begun := make(chan error, 1)
	x, err := start(cpu, o.Options, func(ctx context.Context) (*device, error) {
		if err := <-begun; err != nil {
			return nil, err
		}
		return openGPU(ctx, p, cpu, &o)
	}, s.Close)
	if err != nil {
		return nil, err
	}
	o.GPU.CPU = &leaver{cpu, &x.load, &x.handed}
	p, err = gpu.StartGroup(o.GPUs, s, o.GPU)
	x.coming, x.open = p, &o
	begun <- err // Ready says it
	return x, nil
}

// Expect prepares for queries that will come soon while Open opens the GPU, as
// gpu.Opening.Expect does. It reports false, possibly before it is done, when there is
// nothing more to prepare: the GPU is open, or there is none. It is safe for concurrent use.
func (x *Executor) Expect(queries []search.Query) bool {
	return x.coming != nil && x.coming.Expect(queries)
}

// start returns an Executor that closes cpu, and lets open open a GPU in the background
// unless it is nil. release is called once open is done.
func start(cpu *pool.Pool, o Options, open func(context.Context) (*device, error), release func() error) (*Executor, error) {
	x, err := New(cpu, nil, o)
	if err != nil {
		cpu.Close()
		return nil, errors.Join(err, release())
	}
	x.owns(cpu)
	if open == nil {
		if err := release(); err != nil {
			return nil, errors.Join(err, x.Close())
		}
		return x, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	opened := make(chan struct{})
	x.opened = opened
	settle := sync.OnceFunc(func() { close(opened) })
	x.cancel = func() { cancel(); settle() }
	go func() {
		defer settle()
		d, err := open(ctx)
		err = errors.Join(err, release())
		switch {
		case d == nil:
			x.miss(err)
		case err != nil || !x.join(d):
			x.miss(errors.Join(err, d.close()))
		}
	}()
	return x, nil
}

// owns makes Close close the Pool and the GPU.
func (x *Executor) owns(cpu *pool.Pool) {
	x.free = func() error {
		var failed error
		if d := x.gpu.Load(); d != nil {
			failed = d.close()
		}
		cpu.Close()
		return failed
	}
}

// miss records why there is no GPU.
func (x *Executor) miss(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.why == nil {
		x.why = err
	}
}

// Ready waits until the GPU answers queries, which is at once unless Open is opening it or
// the driver compiles kernels for the one of New; the CPU answers meanwhile. The error is the context's, or
// says why the GPU is not used, as Stats.Retired: it matches gpu.ErrNoDevice if there is
// none, gpu.ErrMemory if it has too little memory, gpu.ErrDevice or ErrHung if it has
// failed, and ErrClosed after Close. With OnlyCPU it is nil.
func (x *Executor) Ready(ctx context.Context) error {
	if x.cpu == nil {
		return ErrClosed
	}
	ctx = orBackground(ctx)
	select {
	case <-x.opened:
	case <-ctx.Done():
		return ctx.Err()
	}
	if x.gate.ended.Load() {
		return ErrClosed
	}
	if d := x.gpu.Load(); d != nil {
		if r, ok := d.Executor.(interface{ Ready(context.Context) error }); ok {
			if err := r.Ready(ctx); ctx.Err() != nil {
				return err
			}
			x.watch()
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.why
}

// Filters is gpu.Group.Filters, once the GPU answers queries. The error says why it does not, as that of Ready does;
// with OnlyCPU it matches gpu.ErrNoDevice.
func (x *Executor) Filters(ctx context.Context, filters []gpu.Filter) (*gpu.FilterBits, error) {
	if err := x.Ready(ctx); err != nil {
		return nil, err
	}
	if d := x.gpu.Load(); d != nil {
		if g, ok := d.Executor.(interface {
			Filters(context.Context, []gpu.Filter) (*gpu.FilterBits, error)
		}); ok {
			return g.Filters(ctx, filters)
		}
	}
	return nil, gpu.ErrNoDevice
}

// Device says which processors answer, for messages: the name of the GPU that Open has
// opened and the CPU, or the CPU.
func (x *Executor) Device() string {
	if d := x.gpu.Load(); d != nil && d.name != "" {
		return d.name + " and the CPU"
	}
	return "the CPU"
}

// device is the GPU of an Executor.
type device struct {
	search.Executor
	working func() int // goroutines that look up and lay out queries for it; nil if unknown
	name    string
	stepper *gpu.Stepper // answers a query that is alone; nil for none
	close   func() error
}

func newDevice(gpu search.Executor) *device {
	d := &device{Executor: gpu}
	if g, ok := gpu.(interface{ Working() int }); ok {
		d.working = g.Working
	}
	return d
}

// join starts to use a GPU. It returns false if the Executor has been closed.
func (x *Executor) join(d *device) bool {
	x.mu.Lock()
	if x.shut {
		x.mu.Unlock()
		return false
	}
	x.gpu.Store(d)
	x.load.join(x.options.Mode)
	x.gone.Store(false)
	x.mu.Unlock()
	x.plan(x.now())
	x.call(0)
	return true
}

// openGPU waits until the devices that p opens answer and have loaded the first lists of the
// queries that are expected, or until ctx ends.
func openGPU(ctx context.Context, p *gpu.Opening, cpu *pool.Pool, o *OpenOptions) (*device, error) {
	g, err := p.Group()
	if err != nil {
		return nil, err
	}
	if ctx.Err() == nil {
		p.Load()
	}
	if err := g.Ready(ctx); err != nil { // the driver may have to compile the kernels
		return nil, errors.Join(err, g.Close())
	}
	d, err := deviceOf(g, cpu, o)
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return d, nil
}

// deviceOf returns the device of an Executor with o.
func deviceOf(g *gpu.Group, cpu *pool.Pool, o *OpenOptions) (d *device, err error) {
	d = newDevice(g)
	d.name, d.close = g.Name(), func() error {
		var err error
		if d.stepper != nil {
			err = d.stepper.Close()
		}
		return errors.Join(err, g.Close())
	}
	if q := cpu.Searcher(); o.Mode == Parallel && o.Pool.Model == pool.Inter && q.OwnStatistics() {
		d.stepper, err = gpu.NewStepper(g.Executors()[0], q, StepOptions(q))
	}
	return d, err
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
