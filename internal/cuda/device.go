package cuda

import (
	"errors"

	"github.com/pinion-index/pinion/kernels"
)

// Errors of devices.
var (
	// ErrNoDevice says that there is no GPU, or that this program was built
	// without support for one.
	ErrNoDevice = errors.New("gpuload: no GPU")
	// ErrMemory says that device or pinned memory is exhausted.
	ErrMemory = errors.New("gpuload: out of device memory")
	// ErrDevice says that a copy or kernel failed; the device cannot be used
	// further.
	ErrDevice = errors.New("gpuload: device failed")
)

// Info describes a device. gpuload.Info has the same fields.
type Info struct {
	Name            string
	Memory          int64 // bytes free when the device was opened
	Multiprocessors int
	Shared          int // bytes of dynamic shared memory that a thread block can have
}

// Streams is how many streams a Device has, numbered from 0. Batches of one stream
// run in order.
const Streams = 9

// Events is how many events a Device has, numbered from 0.
const Events = 64

// Device runs batches of copies and kernels. Implementations are safe for
// concurrent use.
type Device interface {
	Info() Info
	// Alloc returns n bytes of device memory, 256-byte aligned, contents undefined.
	Alloc(n int64) (kernels.Ptr, error)
	Free(p kernels.Ptr) error
	// HostAlloc returns n bytes of host memory that copies can use.
	HostAlloc(n int) ([]byte, error)
	HostFree(b []byte) error
	// Register makes mapped memory usable as the source of copies until
	// Unregister. b must be resident in a mapping or outside Go's heap.
	Register(b []byte) error
	Unregister(b []byte) error
	// Submit enqueues the operations of b on its stream and returns at once.
	Submit(b *Batch) error
	// Wait waits until everything submitted to a stream is done, and returns the
	// first failure.
	Wait(stream int) error
	// Elapsed returns the milliseconds between two events that have been reached.
	Elapsed(from, to int) (float32, error)
	// Close waits for all streams. The device cannot be used afterwards.
	Close() error
}

// Of returns the Device behind a *gpuload.Device. Package gpuload sets it, so that
// benchmarks in this repository reach the device and users do not.
var Of func(device any) Device
