package layout

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/kernels"
)

// Buffers are the memory of one batch: while the device works on one batch the next
// is laid out in other Buffers.
//
// In is laid out in pinned memory and copied to the device in one piece. Work is
// device memory whose contents start undefined. Out comes back in one piece.
//
// Growing a buffer moves it, so reserve sizes before taking addresses.
type Buffers struct {
	Batch  cuda.Batch
	In     []byte // pinned; its length is what is in use
	InDev  kernels.Ptr
	Out    []byte // pinned
	OutDev kernels.Ptr

	dev      cuda.Device
	peak     *Peak
	work     kernels.Ptr
	workCap  int64
	workUsed int64
}

// Peak holds the largest buffers that any Buffers sharing it have needed. Each of them
// takes as much as the largest: its next batch may need it, and growing stops the
// device. The zero value is ready to use.
type Peak struct{ in, work, out atomic.Int64 }

// NewBuffers returns empty Buffers. Buffers that serve the same batches share a peak.
func NewBuffers(dev cuda.Device, peak *Peak) *Buffers {
	return &Buffers{dev: dev, peak: peak}
}

// capacity returns how much to allocate for need bytes: the peak so far or, where need
// exceeds it, large, which becomes the peak.
func capacity(peak *atomic.Int64, need, large int64) int64 {
	for {
		old := peak.Load()
		if need <= old {
			return old
		}
		if peak.CompareAndSwap(old, large) {
			return large
		}
	}
}

// Reset empties the buffers for a batch on a stream.
func (b *Buffers) Reset(stream int) {
	b.Batch.Reset()
	b.Batch.Stream = stream
	b.In = b.In[:0]
	b.workUsed = 0
}

// ReserveIn makes In hold n bytes.
func (b *Buffers) ReserveIn(n int) error {
	n = int(capacity(&b.peak.in, int64(n), 1<<bits.Len(uint(n)))) // pinning takes milliseconds: grow seldom
	if n <= cap(b.In) {
		return nil
	}
	b.freeIn()
	in, err := b.dev.HostAlloc(n)
	if err != nil {
		b.peak.in.Store(0)
		return err
	}
	b.In = in[:0]
	if b.InDev, err = b.dev.Alloc(int64(n) + 256); err != nil {
		b.freeIn() // one half is of no use
		b.peak.in.Store(0)
	}
	return err
}

func (b *Buffers) freeIn() {
	if cap(b.In) > 0 {
		_ = b.dev.HostFree(b.In[:cap(b.In)])
	}
	if b.InDev != 0 {
		_ = b.dev.Free(b.InDev)
	}
	b.In, b.InDev = nil, 0
}

// space takes n bytes of In, 16-byte aligned, and returns where they are.
func (b *Buffers) space(n int) ([]byte, kernels.Ptr) {
	at := (len(b.In) + 15) &^ 15
	b.In = b.In[:at+n]
	return b.In[at:], b.InDev + kernels.Ptr(at)
}

// Put appends a slice to In and returns its address on the device.
func Put[T any](b *Buffers, v []T) kernels.Ptr {
	bytes := kernels.Slice(v)
	dst, p := b.space(len(bytes))
	copy(dst, bytes)
	return p
}

// Space takes room for n elements in In. They have any contents.
func Space[T any](b *Buffers, n int) ([]T, kernels.Ptr) {
	var zero T
	bytes, p := b.space(n * int(unsafe.Sizeof(zero)))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), n), p
}

// At returns the n bytes of In whose address on the device is p.
func (b *Buffers) At(p kernels.Ptr, n int) []byte {
	at := int(p - b.InDev)
	return b.In[at : at+n]
}

// CopyIn adds the copy of In to the batch.
func (b *Buffers) CopyIn() { b.Batch.CopyIn(b.InDev, b.In) }

// ReserveWork makes Scratch hold n bytes, of which every call may take 15 more.
func (b *Buffers) ReserveWork(n int64) error {
	c := capacity(&b.peak.work, n, n+n/4)
	if c <= b.workCap {
		return nil
	}
	b.FreeWork()
	p, err := b.dev.Alloc(c)
	if err != nil {
		b.peak.work.Store(0) // there is not so much
		return err
	}
	b.work, b.workCap = p, c
	return nil
}

// FreeWork frees the memory of Scratch until the next ReserveWork.
func (b *Buffers) FreeWork() {
	if b.work != 0 {
		_ = b.dev.Free(b.work)
	}
	b.work, b.workCap = 0, 0
}

// WorkSize returns how many bytes Scratch has in all.
func (b *Buffers) WorkSize() int64 { return b.workCap }

// Scratch takes n bytes of device memory with any contents, 16-byte aligned.
func (b *Buffers) Scratch(n int64) kernels.Ptr {
	p := b.work + kernels.Ptr(b.workUsed)
	b.workUsed += (n + 15) &^ 15
	return p
}

// ReserveOut makes Out hold n bytes.
func (b *Buffers) ReserveOut(n int) error {
	n = int(capacity(&b.peak.out, int64(n), 1<<bits.Len(uint(n))))
	if n <= len(b.Out) {
		return nil
	}
	b.freeOut()
	out, err := b.dev.HostAlloc(n)
	if err != nil {
		b.peak.out.Store(0)
		return err
	}
	b.Out = out
	if b.OutDev, err = b.dev.Alloc(int64(n)); err != nil {
		b.freeOut()
		b.peak.out.Store(0)
	}
	return err
}

func (b *Buffers) freeOut() {
	if b.Out != nil {
		_ = b.dev.HostFree(b.Out)
	}
	if b.OutDev != 0 {
		_ = b.dev.Free(b.OutDev)
	}
	b.Out, b.OutDev = nil, 0
}

// Close frees all buffers. They can be reserved again.
func (b *Buffers) Close() {
	b.freeIn()
	b.freeOut()
	b.FreeWork()
}
