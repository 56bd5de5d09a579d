package hybrid

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// Follow closes x, and returns an Executor over another snapshot of the index, such as a later commit, that has its GPU. What both snapshots have
// stays there (gpu.Executor.Follow), and so does what x has learned. Snapshot and Searcher are those of Open. The error matches
// gpu.ErrAnew if the GPU is to be opened anew, and gpu.ErrClosed if x is closed.
func (x *Executor) Follow(s *reader.Snapshot, q *search.Searcher) (*Executor, error) {
	if x.cpu == nil || x.gate.ended.Swap(true) {
		return nil, ErrClosed
	}
	crowded := x.load.crowded.Load()
	x.drain()
	d := x.gpu.Load()
	if x.hung() {
		return nil, fmt.Errorf("%w: %w", gpu.ErrAnew, ErrHung)
	}
	x.running.Wait()
	next, err := x.follow(d, s, q)
	if err != nil {
		return nil, errors.Join(err, x.free())
	}
	next.load.crowded.Store(crowded)
	x.cpu.Close()
	return next, nil
}

// follow returns an Executor with the GPU of x, which has ended.
func (x *Executor) follow(d *device, s *reader.Snapshot, q *search.Searcher) (*Executor, error) {
	x.mu.Lock()
	why := x.why
	x.mu.Unlock()
	if d == nil || x.open == nil || why != nil {
		return nil, errors.Join(gpu.ErrAnew, why)
	}
	g, ok := d.Executor.(*gpu.Group)
	if !ok {
		return nil, gpu.ErrAnew
	}
	cpu, err := pool.New(q, x.open.Pool)
	if err != nil {
		return nil, err
	}
	last := x.Answered()
	x.last.Store(&last)
	before := g.Stats().OnCPU
	if d.stepper != nil {
		err = d.stepper.Close()
	}
	var next *Executor
	if err == nil {
		next, err = New(cpu, nil, x.open.Options)
	}
	if err == nil {
		err = g.Follow(s, &leaver{cpu, &next.load, &next.handed}, q.Scorer())
	}
	var own *device
	if err == nil {
		own, err = deviceOf(g, cpu, x.open)
	}
	if err != nil {
		cpu.Close()
		return nil, err
	}
	next.start, next.cost, next.meter, next.open, next.before = x.start, x.cost, x.meter, x.open, before
	next.load.learned(&x.load)
	next.owns(cpu)
	next.join(own)
	return next, nil
}
