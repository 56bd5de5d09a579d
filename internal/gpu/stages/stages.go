// Package stages has the batches in flight on a device: each has a stage, with buffers, a stream and an epoch. No list that
// is used in an epoch is evicted before that ends.
package stages

import (
	"context"
	"errors"
	"sync"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/kernels"
)

const (
	// Count is the number of stages: the other streams are for loads.
	Count = cuda.Streams - residency.LoadStreams
	// Zone is the number of descriptors that a stage has in the table of lists, for lists without an extent.
	Zone = 1 << 16
	// Zones are the descriptors of all stages.
	Zones = Count * Zone
)

// FirstIn, FirstOut and FirstWork are bytes that suffice for the buffers of most batches of a thousand conjunctions.
const FirstIn, FirstOut, FirstWork = 2 << 20, 128 << 10, 2 << 20

// Stage is what one batch in flight has.
type Stage struct {
	*layout.Buffers
	Stream    int
	ZoneFirst uint32 // first descriptor of its zone
	Epoch     uint64 // of the batch; 0: none
}

// Pool has the stages of a device. It is safe for concurrent use.
type Pool struct {
	All  [Count]Stage
	Peak layout.Peak
	// Shed frees device memory that nobody uses beside the scratch memory of idle stages. It reports whether there was any.
	Shed func() bool

	dev    cuda.Device
	idle   chan *Stage
	pinned []byte      // lent to stages
	lent   kernels.Ptr // the same on the device

	mu    sync.Mutex // guards the fields below and the epochs of stages
	epoch uint64
	busy  float64 // seconds
}

// New returns a Pool without a device, whose epochs can begin.
func New(shed func() bool) *Pool { return &Pool{Shed: shed, epoch: 1} }

// Open makes the stages of a device, whose table of lists has slots descriptors, zones last.
func (p *Pool) Open(dev cuda.Device, slots uint32) {
	p.dev, p.idle = dev, make(chan *Stage, Count)
	for i := range p.All {
		p.All[i] = Stage{Buffers: layout.NewBuffers(dev, &p.Peak), Stream: i, ZoneFirst: slots - uint32(Count-i)*Zone}
		p.idle <- &p.All[i]
	}
}

// Lend allocates the buffers of the first batches, in two calls of the driver. It returns an error if the device has no
// room for them. If the host has none, batches try again, and say why it fails.
func (p *Pool) Lend() (err error) {
	const host, device = FirstIn + FirstOut, FirstIn + 256 + FirstOut + FirstWork
	if p.lent, err = p.dev.Alloc(Count * device); err != nil {
		return err
	}
	if p.pinned, err = p.dev.HostAlloc(Count * host); err != nil {
		return nil
	}
	for i := range Count {
		pinned, at := p.pinned[i*host:][:host:host], p.lent+kernels.Ptr(i*device)
		st := <-p.idle
		st.Lend(layout.Loan{In: pinned[:FirstIn:FirstIn], Out: pinned[FirstIn:], InDev: at, OutDev: at + FirstIn + 256, Work: at + FirstIn + 256 + FirstOut, WorkSize: FirstWork})
		p.idle <- st
	}
	return nil
}

// Lent reports whether the stages have what Lend allocates.
func (p *Pool) Lent() bool { return p.lent != 0 }

// Free frees what Lend has allocated.
func (p *Pool) Free() {
	if p.pinned != nil {
		_ = p.dev.HostFree(p.pinned)
	}
	if p.lent != 0 {
		_ = p.dev.Free(p.lent)
	}
	p.pinned, p.lent = nil, 0
}

// Close frees the buffers of the stages.
func (p *Pool) Close() {
	for i := range p.All {
		if p.All[i].Buffers != nil {
			p.All[i].Close()
		}
	}
}

// Take waits for a stage and starts an epoch.
func (p *Pool) Take(ctx context.Context) (*Stage, error) {
	var st *Stage
	select {
	case st = <-p.idle:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock() // Oldest must see the epoch
	p.epoch++
	st.Epoch = p.epoch
	p.mu.Unlock()
	return st, nil
}

// Give ends the epoch of a stage that Take returned.
func (p *Pool) Give(st *Stage) {
	p.mu.Lock()
	st.Epoch = 0
	p.mu.Unlock()
	p.idle <- st
}

// Next starts a new epoch. Every batch and every load has one.
func (p *Pool) Next() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.epoch++
	return p.epoch
}

// Oldest returns the lowest epoch of the batches in flight, at most epoch.
func (p *Pool) Oldest(epoch uint64) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.All {
		if e := p.All[i].Epoch; e > 0 {
			epoch = min(epoch, e)
		}
	}
	return epoch
}

// Timer returns the event before the kernels of a stage; the next one is behind them.
func (st *Stage) Timer() int { return residency.Timers + 2*st.Stream }

// Ran adds the time of a stage's kernels to Busy.
func (p *Pool) Ran(st *Stage) {
	// Others that share the device may have recorded the events again meanwhile.
	if ms, err := p.dev.Elapsed(st.Timer(), st.Timer()+1); err == nil {
		p.mu.Lock()
		p.busy += float64(ms) / 1e3
		p.mu.Unlock()
	}
}

// Busy returns the sum over batches of the seconds that their kernels took.
func (p *Pool) Busy() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.busy
}

// Room makes room in the buffers of a stage, if need be with what is spare: the scratch memory of
// stages that are idle may be all that there is after long batches.
func (p *Pool) Room(st *Stage, in int, work int64, out int) error {
	err := st.Reserve(in, work, out)
	if errors.Is(err, cuda.ErrMemory) && p.freeSpare() {
		err = st.Reserve(in, work, out)
	}
	return err
}

// Alloc allocates device memory, if need be with what is spare.
func (p *Pool) Alloc(n int64) (kernels.Ptr, error) {
	at, err := p.dev.Alloc(n)
	if errors.Is(err, cuda.ErrMemory) && p.freeSpare() {
		at, err = p.dev.Alloc(n)
	}
	return at, err
}

// freeSpare frees the scratch memory of idle stages, and what Shed does. It reports whether there was any.
func (p *Pool) freeSpare() bool {
	idle := p.freeIdle()
	return p.Shed() || idle
}

// freeIdle frees the scratch memory of idle stages. It reports whether there was any.
func (p *Pool) freeIdle() (some bool) {
	var free []*Stage
	for range len(p.idle) {
		select {
		case st := <-p.idle:
			free = append(free, st)
		default:
		}
	}
	for _, st := range free {
		size := st.WorkSize()
		st.FreeWork()
		some = some || st.WorkSize() < size
		p.idle <- st
	}
	return some
}

// AtOnce is how many bytes Upload copies at a time: pinned memory for more would stay with the stage.
const AtOnce = 4 << 20

// Upload copies bytes to the device, and waits for that.
func (p *Pool) Upload(st *Stage, to kernels.Ptr, from []byte) error {
	for len(from) > 0 {
		n := min(len(from), AtOnce)
		st.Reset(st.Stream)
		err := st.ReserveIn(n)
		if err == nil {
			st.In = append(st.In, from[:n]...)
			st.Batch.CopyIn(to, st.In)
			if err = p.dev.Submit(&st.Batch); err == nil {
				err = p.dev.Wait(st.Stream)
			}
		}
		if err != nil {
			return errors.Join(err, p.dev.Wait(st.Stream))
		}
		from, to = from[n:], to+kernels.Ptr(n)
	}
	return nil
}
