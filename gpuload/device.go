package gpuload

import (
	"errors"
	"unsafe"

	"github.com/pinion-index/pinion/kernels"
)

// Ptr is an address in device memory.
type Ptr = kernels.Ptr

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

// Info describes a device.
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
	Alloc(n int64) (Ptr, error)
	Free(p Ptr) error
	// HostAlloc returns n bytes of host memory that copies can use.
	HostAlloc(n int) ([]byte, error)
	HostFree(b []byte) error
	// Register makes mapped memory usable as the source of copies until
	// Unregister. b must be resident in a mapping or outside Go's heap.
	Register(b []byte) error
	Unregister(b []byte) error
	// Submit enqueues what b holds on its stream and returns at once.
	Submit(b *Batch) error
	// Wait returns when everything submitted to a stream is done, with the first
	// failure.
	Wait(stream int) error
	// Elapsed returns the milliseconds between two events that have been reached.
	Elapsed(from, to int) (float32, error)
	Close() error
}

// The kinds of operation in a Batch.
const (
	opCopyIn = iota + 1
	opCopyOut
	opFill
	opLaunch
	opRecord
	opAwait
	opMove
)

// op is one operation; the C side has the same struct.
type op struct{ kind, a, b, c, d, e uint64 }

// Batch gathers operations for one Submit, in order. The zero value is an empty
// batch for stream 0. It may be used again after Reset.
type Batch struct {
	Stream int
	ops    []op
	params []byte
}

// Reset empties the batch.
func (b *Batch) Reset() { b.ops, b.params = b.ops[:0], b.params[:0] }

// CopyIn copies src to the device. src is from HostAlloc or registered and stays
// unchanged until the stream has passed the copy.
func (b *Batch) CopyIn(dst Ptr, src []byte) {
	if len(src) > 0 {
		b.ops = append(b.ops, op{opCopyIn, uint64(dst), addr(src), uint64(len(src)), 0, 0})
	}
}

// CopyOut copies to dst, which is from HostAlloc.
func (b *Batch) CopyOut(dst []byte, src Ptr) {
	if len(dst) > 0 {
		b.ops = append(b.ops, op{opCopyOut, addr(dst), uint64(src), uint64(len(dst)), 0, 0})
	}
}

// Move copies n bytes within device memory.
func (b *Batch) Move(dst, src Ptr, n int64) {
	b.ops = append(b.ops, op{opMove, uint64(dst), uint64(src), uint64(n), 0, 0})
}

// Fill sets n bytes, a multiple of 4, to zero.
func (b *Batch) Fill(dst Ptr, n int64) {
	b.FillWords(dst, 0, n)
}

// FillWords sets n bytes, a multiple of 4, to a 32-bit word, over and over.
func (b *Batch) FillWords(dst Ptr, word uint32, n int64) {
	if n > 0 {
		b.ops = append(b.ops, op{opFill, uint64(dst), uint64(word), uint64(n), 0, 0})
	}
}

// Launch runs a kernel of grid thread blocks with that much dynamic shared memory.
// params are the bytes of its struct; they are copied.
func (b *Batch) Launch(k kernels.Kernel, grid, shared int, params []byte) {
	if grid <= 0 {
		return
	}
	for len(b.params)%16 != 0 {
		b.params = append(b.params, 0)
	}
	at := len(b.params)
	b.params = append(b.params, params...)
	b.ops = append(b.ops, op{opLaunch, uint64(k), uint64(grid), uint64(shared), uint64(at), uint64(len(params))})
}

// Record reaches an event when the stream comes to it.
func (b *Batch) Record(event int) { b.ops = append(b.ops, op{opRecord, uint64(event), 0, 0, 0, 0}) }

// Await makes the stream wait for an event that was recorded in a batch submitted
// before.
func (b *Batch) Await(event int) { b.ops = append(b.ops, op{opAwait, uint64(event), 0, 0, 0, 0}) }

func addr(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
