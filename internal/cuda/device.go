package cuda

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/internal/kernels"
)

// Errors of devices.
var (
	// ErrNoDevice means that there is no GPU or that this program was built without
	// support for one.
	ErrNoDevice = errors.New("gpuload: no GPU")
	// ErrMemory means that device memory or pinned host memory is exhausted.
	ErrMemory = errors.New("gpuload: out of device memory")
	// ErrDevice means that a copy or a kernel failed. The device cannot be used any more.
	ErrDevice = errors.New("gpuload: device failed")
)

// noDevice is the error for a number that no device has.
func noDevice(number, devices int) error {
	if devices == 0 {
		return ErrNoDevice
	}
	return fmt.Errorf("%w with number %d: there are %d, numbered from 0", ErrNoDevice, number, devices)
}

// codeVariable is an environment variable that selects the form of the kernels: "ptx"
// makes the driver compile them even if the program has code for the device.
const codeVariable = "PINION_GPU_CODE"

// Info describes a device.
type Info struct {
	Name            string
	Memory          int64 // bytes free when the device was opened
	Multiprocessors int
	Shared          int // maximum dynamic shared memory of a thread block, in bytes
	// Major and Minor are the compute capability; 0.0 is an emulator.
	Major, Minor int
	// Compiles means that the driver compiles the kernels, which takes many seconds the
	// first time: the program has no code for this device.
	Compiles bool
}

// Streams is the number of streams of a Device, numbered from 0. Batches of one stream
// run in order.
const Streams = 13

// Events is the number of events of a Device, numbered from 0.
const Events = 96

// Device runs batches of copies and kernels. Implementations are safe for
// concurrent use.
type Device interface {
	Info() Info
	// Alloc allocates n bytes of device memory, 256-byte aligned, with undefined
	// contents.
	Alloc(n int64) (kernels.Ptr, error)
	Free(p kernels.Ptr) error
	// HostAlloc returns n bytes of host memory that copies can use.
	HostAlloc(n int) ([]byte, error)
	HostFree(b []byte) error
	// Register makes b usable as the source of copies until Unregister. b must be mapped
	// memory or outside the Go heap.
	Register(b []byte) error
	Unregister(b []byte) error
	// Load makes kernels ready to run. Submit does it for those that are not, so Load is
	// for when that takes long: when Info.Compiles is set.
	Load(ks ...kernels.Kernel) error
	// Submit enqueues the operations of b on its stream without waiting for them.
	Submit(b *Batch) error
	// Wait waits until all batches submitted to a stream are done and returns the first
	// error.
	Wait(stream int) error
	// Elapsed returns the time between two recorded events in milliseconds.
	Elapsed(from, to int) (float32, error)
	// Close waits for all streams, but not for Load, which may run beside it and then fail.
	// The device cannot be used afterwards.
	Close() error
}

// Watched is a Device that calls Note with each kernel of a batch before it submits it.
type Watched struct {
	Device
	Note func(kernels.Kernel)
}

// Submit submits b.
func (w *Watched) Submit(b *Batch) error {
	for i := range b.ops {
		if o := &b.ops[i]; o.kind == opLaunch {
			w.Note(kernels.Kernel(o.a))
		}
	}
	return w.Device.Submit(b)
}
