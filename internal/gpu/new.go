package gpu

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// New returns an Executor for a snapshot. The Executor retains the snapshot and the
// device until Close, so the caller may close both at any time. The error matches
// query.ErrInvalid if one of them is nil, an option is invalid or Options.CPU answers over another
// snapshot, or with the statistics of another (search.Options.Statistics; those of a search.Options.Collection
// are taken). It matches ErrMemory if the device has too little memory, ErrClosed if it is closed, and
// ErrUnsupported if it cannot answer queries of the snapshot and Options.CPU is nil.
func New(dev *Device, snapshot *reader.Snapshot, o Options) (*Executor, error) {
	if dev == nil {
		return nil, fmt.Errorf("%w: gpuload without a device", query.ErrInvalid)
	}
	x, err := hostHalf(snapshot, o)
	if err != nil {
		return nil, err
	}
	if err := x.use(dev); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// use gives the Executor its device.
func (x *Executor) use(dev *Device) error {
	if err := dev.hold(); err != nil {
		return err
	}
	x.release = dev.release
	return x.attach(dev.dev, x.stages.Lend)
}

// hostHalf returns an Executor for a snapshot, which it retains, that lacks a device. It looks
// terms up.
func hostHalf(snapshot *reader.Snapshot, o Options) (*Executor, error) {
	if snapshot == nil {
		return nil, fmt.Errorf("%w: gpuload without a snapshot", query.ErrInvalid)
	}
	if c, ok := o.CPU.(interface{ Over(*reader.Snapshot) bool }); ok && !c.Over(snapshot) {
		return nil, fmt.Errorf("%w: gpuload whose Options.CPU answers over another snapshot", query.ErrInvalid)
	}
	part, err := partOf(o.CPU)
	if err != nil {
		return nil, err
	}
	s, err := snapshot.Retain()
	if err != nil {
		return nil, err
	}
	err = o.check()
	if err == nil {
		o.fields, err = fieldsOf(s, &o)
	}
	var segs []residency.Segment
	inOrder := true
	if err == nil {
		inOrder, err = s.DocIDsInOrder()
	}
	if err == nil {
		segs, err = segmentsOf(s, o.fields)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	x := halfOf(segs, o)
	x.snapshot, x.parser, x.part, x.tied = s, parserFor(s, o.CPU), part, !inOrder
	return x, nil
}

// partOf reports whether cpu searches a part of a collection. The error says that it scores with the statistics of another
// index otherwise.
func partOf(cpu search.Executor) (bool, error) {
	if m, ok := cpu.(interface{ behind() search.Executor }); ok {
		cpu = m.behind()
	}
	if p, ok := cpu.(interface{ Searcher() *search.Searcher }); ok {
		cpu = p.Searcher()
	}
	s, ok := cpu.(interface {
		OwnStatistics() bool
		OfPart() bool
	})
	switch {
	case !ok || s.OwnStatistics():
		return false, nil
	case s.OfPart():
		return true, nil
	}
	return false, fmt.Errorf("%w: gpuload whose Options.CPU scores with the statistics of another index", query.ErrInvalid)
}

// Close waits for running calls, ends loads that are no part of one, and frees all device memory. Afterwards Execute, LoadAll,
// Filters and NewConjunction return ErrClosed and Close does nothing.
func (x *Executor) Close() error {
	if x.zero() {
		return nil
	}
	x.state.started(ErrClosed) // calls do not wait for the driver any more
	x.cancel()
	x.life.Lock()
	again := x.closed
	x.closed = true
	x.life.Unlock()
	if again {
		return nil
	}
	x.behind.Wait()
	for c := range x.conjunctions {
		c.free()
	}
	x.stages.Close()
	x.free()
	var errs []error
	if x.release != nil {
		errs = append(errs, x.release())
	}
	if x.snapshot != nil {
		errs = append(errs, x.snapshot.Close())
	}
	return errors.Join(errs...)
}
