package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// maxShort is the number of calls in a row that may run out of memory before the device is
// retired. Each costs an allocation that fails, and its queries go to the CPU.
const maxShort = 8

// exhausted is why a device is retired that has run out of memory maxShort times in a row.
type exhausted struct{ err error }

func (e *exhausted) Error() string {
	return fmt.Sprintf("gpuload: out of memory %d times in a row, so the device is used no more: %v", maxShort, e.err)
}

// Unwrap makes it match ErrDevice, as what has retired a device does, and ErrMemory.
func (e *exhausted) Unwrap() []error { return []error{ErrDevice, e.err} }

// start lets the device answer, which has its memory unless err says why not. Where the driver
// has to compile the kernels, it does so in the background, and the device answers later.
func (x *Executor) start(err error) error {
	if err != nil || !x.dev.Info().Compiles {
		x.state.started(err)
		if errors.Is(err, ErrUnsupported) && x.options.CPU != nil {
			return nil // it answers
		}
		return err
	}
	go func() {
		err := x.dev.Load(x.modules().all()...) // no query waits for one later
		if err == nil {
			if err = x.enter(); err == nil {
				defer x.leave()
				err = x.docs.Load(x.dev, x.lists)
			}
		}
		x.state.started(err)
	}()
	return nil
}

// loadKernels begins to load the modules that lists of the index and their queries need.
// The first use of one would wait for it otherwise: 26 to 100 ms in all.
func (x *Executor) loadKernels() {
	if x.dev.Info().Compiles {
		return // start does it
	}
	ks := x.modules().kernels()
	go func() {
		if x.enter() == nil {
			defer x.leave()
			_ = x.dev.Load(ks...) // Submit loads what is missing, or says why it cannot
		}
	}()
}

// Ready waits until the device answers queries. That is at once, unless the driver has to
// compile the kernels (Info.Compiles); until it has, Options.CPU answers. The error says
// why the device does not answer: it matches ErrDevice if it has failed, ErrMemory if it
// has too little memory, ErrUnsupported if it cannot answer queries of the snapshot and
// ErrClosed after Close.
func (x *Executor) Ready(ctx context.Context) error {
	if x.zero() {
		return ErrClosed
	}
	if err := x.state.await(orBackground(ctx)); err != nil {
		return err
	}
	if err := x.enter(); err != nil {
		return err
	}
	x.leave()
	return nil
}

// Compiling reports whether drivers compile the kernels for a device that does not answer queries before.
func (g *Group) Compiling() bool {
	return slices.ContainsFunc(g.members, func(m *member) bool { return m.x.compiling() })
}

// compiling is Group.Compiling for one device.
func (x *Executor) compiling() bool {
	select {
	case <-x.state.ready:
		return false
	default:
		return x.dev.Info().Compiles
	}
}

// Err returns the error that has ended the use of the device, or nil. It matches ErrDevice
// if the device has failed, has not finished its work in time, or has run out of memory
// time and again, and ErrUnsupported if it cannot answer queries of the snapshot. From then on Options.CPU answers all queries; if it is nil, they fail
// with this error.
func (x *Executor) Err() error {
	return x.state.failed()
}

// works reports whether the device answers. If nothing else does, it waits until the
// device has started.
func (x *Executor) works(ctx context.Context) (bool, error) {
	if x.state.works.Load() {
		return true, nil
	}
	if x.options.CPU != nil {
		return false, nil
	}
	return true, x.state.await(ctx)
}

// settle ends the work of plans on the device. If the device failed or ran out of memory,
// it marks plans for the CPU, provided that there is one.
func (x *Executor) settle(plans []*plan, err error) error {
	switch {
	case err == nil:
		x.state.short.Store(0)
		return nil
	case errors.Is(err, ErrDevice):
		x.state.retire(err)
	case errors.Is(err, ErrMemory):
		if x.state.short.Add(1) >= maxShort {
			x.state.retire(&exhausted{err})
		}
	default:
		return err
	}
	if x.options.CPU == nil {
		return err
	}
	toCPU(plans, failure(err))
	return nil
}
