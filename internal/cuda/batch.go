package cuda

import (
	"unsafe"

	"github.com/pinion-index/pinion/internal/kernels"
)

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

// Batch is a sequence of operations for one Submit. The zero value is an empty batch for
// stream 0. It can be reused after Reset.
type Batch struct {
	Stream int
	ops    []op
	params []byte
}

// Reset empties the batch.
func (b *Batch) Reset() { b.ops, b.params = b.ops[:0], b.params[:0] }

// CopyIn copies src to the device. src must be from HostAlloc or registered, and must not
// change until the copy is done.
func (b *Batch) CopyIn(dst kernels.Ptr, src []byte) {
	if len(src) > 0 {
		b.ops = append(b.ops, op{opCopyIn, uint64(dst), addr(src), uint64(len(src)), 0, 0})
	}
}

// CopyOut copies to dst, which must be from HostAlloc.
func (b *Batch) CopyOut(dst []byte, src kernels.Ptr) {
	if len(dst) > 0 {
		b.ops = append(b.ops, op{opCopyOut, addr(dst), uint64(src), uint64(len(dst)), 0, 0})
	}
}

// Move copies n bytes within device memory.
func (b *Batch) Move(dst, src kernels.Ptr, n int64) {
	b.ops = append(b.ops, op{opMove, uint64(dst), uint64(src), uint64(n), 0, 0})
}

// Fill sets n bytes, a multiple of 4, to zero.
func (b *Batch) Fill(dst kernels.Ptr, n int64) {
	b.FillWords(dst, 0, n)
}

// FillWords fills n bytes, a multiple of 4, with copies of a 32-bit word.
func (b *Batch) FillWords(dst kernels.Ptr, word uint32, n int64) {
	if n > 0 {
		b.ops = append(b.ops, op{opFill, uint64(dst), uint64(word), uint64(n), 0, 0})
	}
}

// Launch runs a kernel with grid thread blocks and shared bytes of dynamic shared
// memory each. params are the bytes of its parameter struct; they are copied.
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

// Record records an event after all previous operations of the stream.
func (b *Batch) Record(event int) { b.ops = append(b.ops, op{opRecord, uint64(event), 0, 0, 0, 0}) }

// Await makes the stream wait for an event of a batch that has been submitted.
func (b *Batch) Await(event int) { b.ops = append(b.ops, op{opAwait, uint64(event), 0, 0, 0, 0}) }

func addr(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
