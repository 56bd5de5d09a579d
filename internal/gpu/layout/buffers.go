package layout

import (
	"errors"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
)

// Buffers are the memory of one batch. While the device works on one batch, the next is
// prepared in other Buffers.
//
// In is built in pinned memory and copied to the device in one piece. Scratch memory
// stays on the device; its contents are initially undefined. Out is copied back in one
// piece.
//
// Growing a buffer moves it, so reserve before taking addresses.
type Buffers struct {
	Batch  cuda.Batch
	In     []byte // pinned; its length is the part in use
	InDev  kernels.Ptr
	Out    []byte // pinned
	OutDev kernels.Ptr
	Wanted int // bytes for which ReserveIn made room last: In may not grow beyond

	dev      cuda.Device
	peak     *Peak
	lent     Loan
	work     kernels.Ptr
	workCap  int64
	workUsed int64
}

// Peak holds the largest sizes needed by any of the Buffers that share it. Each of them
// allocates the largest size, if it can: its next batch may need it, and growing stalls the
// device.
// The zero value is ready to use.
type Peak struct{ in, work, out atomic.Int64 }

// NewBuffers returns empty Buffers. Buffers for the same kind of batch should share a
// Peak.
func NewBuffers(dev cuda.Device, peak *Peak) *Buffers {
	return &Buffers{dev: dev, peak: peak}
}

// Loan is memory for Buffers that is allocated and freed with that of others: each call of
// the driver makes other calls wait.
type Loan struct {
	In, Out             []byte      // pinned
	InDev, OutDev, Work kernels.Ptr // InDev has 256 bytes more than In
	WorkSize            int64
}

// Lend gives empty Buffers their first memory. It must stay until Close.
func (b *Buffers) Lend(l Loan) {
	b.lent = l
	b.In, b.InDev, b.Out, b.OutDev, b.work, b.workCap = l.In[:0], l.InDev, l.Out, l.OutDev, l.Work, l.WorkSize
	capacity(&b.peak.in, int64(len(l.In)), int64(len(l.In)))
	capacity(&b.peak.out, int64(len(l.Out)), int64(len(l.Out)))
	capacity(&b.peak.work, l.WorkSize, l.WorkSize)
}

// free frees memory on the device that is not lent.
func (b *Buffers) free(p, lent kernels.Ptr) {
	if p != 0 && p != lent {
		_ = b.dev.Free(p)
	}
}

// hostFree frees pinned memory that is not lent.
func (b *Buffers) hostFree(p, lent []byte) {
	if cap(p) > 0 && unsafe.SliceData(p) != unsafe.SliceData(lent) {
		_ = b.dev.HostFree(p[:cap(p)])
	}
}

// capacity returns the number of bytes to allocate for need bytes: the peak so far or, if
// need exceeds it, large, which becomes the peak.
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

// Reset empties the buffers for a new batch on a stream.
func (b *Buffers) Reset(stream int) {
	b.Batch.Reset()
	b.Batch.Stream = stream
	b.In = b.In[:0]
	b.workUsed = 0
}

// grow makes room for need bytes where there is some for have. alloc allocates as many as
// capacity says. Where memory is short, what is there has to do, or else what is needed.
func grow(peak *atomic.Int64, need, large, have int64, free func(), alloc func(n int64) error) error {
	n := capacity(peak, need, large)
	if n <= have {
		return nil
	}
	if need > have {
		free() // alloc may need the memory
	}
	err := alloc(n)
	if err == nil {
		return nil
	}
	peak.Store(0) // the device does not have this much
	if !errors.Is(err, cuda.ErrMemory) {
		return err
	}
	if need <= have {
		peak.Store(have)
		return nil
	}
	if n > need {
		err = alloc(need)
	}
	if err == nil {
		peak.Store(need)
	}
	return err
}

// Reserve makes room in all buffers.
func (b *Buffers) Reserve(in int, work int64, out int) error {
	if err := b.ReserveIn(in); err != nil {
		return err
	}
	if err := b.ReserveWork(work); err != nil {
		return err
	}
	return b.ReserveOut(out)
}

// pair allocates n bytes of pinned memory and as many on the device, with padding.
func (b *Buffers) pair(n, padding int64) (host []byte, at kernels.Ptr, err error) {
	if host, err = b.dev.HostAlloc(int(n)); err != nil {
		return nil, 0, err
	}
	if at, err = b.dev.Alloc(n + padding); err != nil {
		_ = b.dev.HostFree(host) // one is useless without the other
		return nil, 0, err
	}
	return host, at, nil
}

// ReserveIn makes room for n bytes in In.
func (b *Buffers) ReserveIn(n int) error {
	b.Wanted = n
	// Pinning takes milliseconds: grow seldom.
	return grow(&b.peak.in, int64(n), 1<<bits.Len(uint(n)), int64(cap(b.In)), b.freeIn, func(n int64) error {
		in, at, err := b.pair(n, 256)
		if err == nil {
			b.freeIn()
			b.In, b.InDev = in[:0], at
		}
		return err
	})
}

func (b *Buffers) freeIn() {
	b.hostFree(b.In, b.lent.In)
	b.free(b.InDev, b.lent.InDev)
	b.In, b.InDev = nil, 0
}

// space extends In by n bytes, 16-byte aligned, and returns them and their address on the
// device.
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

// Space extends In by n elements with undefined contents. It returns them and their
// address on the device.
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

// ReserveWork makes room for n bytes of Scratch. Each call of Scratch may use up to 15
// bytes more than requested.
func (b *Buffers) ReserveWork(n int64) error {
	return grow(&b.peak.work, n, n+n/4, b.workCap, b.FreeWork, func(n int64) error {
		p, err := b.dev.Alloc(n)
		if err == nil {
			b.FreeWork()
			b.work, b.workCap = p, n
		}
		return err
	})
}

// FreeWork frees the scratch memory, except what is lent. Call ReserveWork before the next
// Scratch.
func (b *Buffers) FreeWork() {
	b.free(b.work, b.lent.Work)
	b.work, b.workCap = b.lent.Work, b.lent.WorkSize
}

// WorkSize returns the size of the scratch memory.
func (b *Buffers) WorkSize() int64 { return b.workCap }

// Scratch returns n bytes of device memory with undefined contents, 16-byte aligned.
// Reserve them with ReserveWork.
func (b *Buffers) Scratch(n int64) kernels.Ptr {
	p := b.work + kernels.Ptr(b.workUsed)
	b.workUsed += (n + 15) &^ 15
	return p
}

// ReserveOut makes room for n bytes in Out.
func (b *Buffers) ReserveOut(n int) error {
	return grow(&b.peak.out, int64(n), 1<<bits.Len(uint(n)), int64(len(b.Out)), b.freeOut, func(n int64) error {
		out, at, err := b.pair(n, 0)
		if err == nil {
			b.freeOut()
			b.Out, b.OutDev = out, at
		}
		return err
	})
}

func (b *Buffers) freeOut() {
	b.hostFree(b.Out, b.lent.Out)
	b.free(b.OutDev, b.lent.OutDev)
	b.Out, b.OutDev = nil, 0
}

// Close frees all buffers. They may be reserved again.
func (b *Buffers) Close() {
	b.freeIn()
	b.freeOut()
	b.FreeWork()
	b.lent, b.work, b.workCap = Loan{}, 0, 0
}
