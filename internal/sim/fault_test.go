package sim

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/kernels"
)

// faultKind is how a device fails.
type faultKind int

const (
	failOnce   faultKind = iota // one operation: memory runs out, or a batch fails
	failBreaks                  // every operation
	failHangs                   // a batch does not end for a time, then it and every later one fails
	failFull                    // memory runs out, and may be there again
	faultKinds
)

var faultNames = [faultKinds]string{failOnce: "fails once", failBreaks: "breaks", failHangs: "hangs", failFull: "is full"}

// hangTime is how long a batch failHangs, and hangLimit when a hybrid.Executor that wants to
// find out does.
const (
	hangTime  = 60 * time.Millisecond
	hangLimit = 20 * time.Millisecond
)

// fault is a device that fails.
type fault struct {
	cuda.Device
	kind  faultKind
	armed atomic.Bool
	left  atomic.Int64 // operations that succeed once it is armed
	lasts int64        // operations that find memory full
}

// drawFault makes a device fail after some operations, which count when it is armed.
func drawFault(r *rand.Rand, d *gpu.Device) *fault {
	f := &fault{kind: faultKind(r.IntN(int(faultKinds))), lasts: 1 << r.IntN(12)}
	f.left.Store(int64(r.IntN(1 << r.IntN(6))))
	if f.kind == failFull {
		f.left.Store(int64(r.IntN(3))) // most memory is taken before
	}
	d.Wrap(func(d cuda.Device) cuda.Device {
		f.Device = d
		return f
	})
	return f
}

func (f *fault) String() string { return fmt.Sprintf("%s, %d left", faultNames[f.kind], f.left.Load()) }

// began reports whether an operation has failed.
func (f *fault) began() bool { return f.left.Load() < 0 }

// memory returns the error of an operation on memory.
func (f *fault) memory() error {
	if !f.armed.Load() || f.kind == failHangs {
		return nil
	}
	switch at := -f.left.Add(-1); {
	case at < 1:
	case f.kind == failBreaks:
		return cuda.ErrDevice
	case f.kind == failFull && at <= f.lasts, at == 1:
		return cuda.ErrMemory
	}
	return nil
}

// work returns the error of an operation on a stream.
func (f *fault) work() error {
	if !f.armed.Load() || f.kind == failFull {
		return nil
	}
	at := -f.left.Add(-1)
	if at < 1 || f.kind == failOnce && at > 1 {
		return nil
	}
	if f.kind == failHangs && at <= 2 {
		time.Sleep(hangTime)
	}
	return cuda.ErrDevice
}

// Alloc allocates device memory.
func (f *fault) Alloc(n int64) (kernels.Ptr, error) {
	if err := f.memory(); err != nil {
		return 0, err
	}
	return f.Device.Alloc(n)
}

// HostAlloc allocates pinned memory.
func (f *fault) HostAlloc(n int) ([]byte, error) {
	if err := f.memory(); err != nil {
		return nil, err
	}
	return f.Device.HostAlloc(n)
}

// Submit starts a batch.
func (f *fault) Submit(b *cuda.Batch) error {
	if err := f.work(); err != nil {
		return err
	}
	return f.Device.Submit(b)
}

// Wait ends batches. Those of a stream that fails have ended, too: a device that is real
// must not write into memory that is given back.
func (f *fault) Wait(stream int) error {
	err := f.Device.Wait(stream)
	if failed := f.work(); failed != nil {
		return failed
	}
	return err
}
