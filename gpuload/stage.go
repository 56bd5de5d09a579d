package gpuload

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/pinion-index/pinion/kernels"
)

// stage is one of the executor's sets of buffers: while the device works on one
// batch the next is laid out in another.
//
// in is laid out in pinned memory and copied to the device in one piece; work is
// device memory that starts undefined, but for its zeroed head; out is what comes
// back in one piece.
type stage struct {
	dev       Device
	stream    int
	batch     Batch
	in        []byte // pinned; its length is what is in use
	inDev     Ptr
	work      Ptr
	workCap   int64
	workUsed  int64
	out       []byte // pinned
	outDev    Ptr
	zoneFirst uint32 // slots of the table for lists of the batch
	epoch     uint64
	pending   *pending
	most      *most // of all stages of an executor
}

// most are the greatest sizes of buffers that an executor's stages need. A stage takes as
// much as any: the next batch of that size may be its own, and growing stops the device.
type most struct{ in, work, out atomic.Int64 }

// capacity returns how much a stage is to have that needs so much: what has been the most
// so far, or, where it needs more, large, which is the most then.
func capacity(most *atomic.Int64, need, large int64) int64 {
	for {
		old := most.Load()
		if need <= old {
			return old
		}
		if most.CompareAndSwap(old, large) {
			return large
		}
	}
}

// pending is what a submitted batch will answer.
type pending struct {
	plans []*plan
	keys  []int
}

func (s *stage) reset(stream int) {
	s.stream = stream
	s.batch.Reset()
	s.batch.Stream = stream
	s.in = s.in[:0]
	s.workUsed = 0
}

// grow makes in hold n bytes more. Growing moves it, so sizes are reserved before
// addresses are taken.
func (s *stage) reserveIn(n int) error {
	n = int(capacity(&s.most.in, int64(n), 1<<bits.Len(uint(n)))) // pinning takes milliseconds: seldom
	if n <= cap(s.in) {
		return nil
	}
	s.freeIn()
	b, err := s.dev.HostAlloc(n)
	if err != nil {
		s.most.in.Store(0)
		return err
	}
	s.in = b[:0]
	if s.inDev, err = s.dev.Alloc(int64(n) + 256); err != nil {
		s.freeIn() // half of it must not pass for all
		s.most.in.Store(0)
	}
	return err
}

func (s *stage) freeIn() {
	if cap(s.in) > 0 {
		_ = s.dev.HostFree(s.in[:cap(s.in)])
	}
	if s.inDev != 0 {
		_ = s.dev.Free(s.inDev)
	}
	s.in, s.inDev = nil, 0
}

// space makes room for n bytes in in, 16-byte aligned, and returns where they are.
func (s *stage) space(n int) ([]byte, Ptr) {
	at := (len(s.in) + 15) &^ 15
	s.in = s.in[:at+n]
	return s.in[at:], s.inDev + Ptr(at)
}

// put appends a slice to in and returns its address on the device.
func put[T any](s *stage, v []T) Ptr {
	b := kernels.Slice(v)
	dst, p := s.space(len(b))
	copy(dst, b)
	return p
}

// spaceFor makes room for n elements in in.
func spaceFor[T any](s *stage, n int) ([]T, Ptr) {
	var zero T
	b, p := s.space(n * int(unsafe.Sizeof(zero)))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n), p
}

func (s *stage) reserveWork(n int64) error {
	c := capacity(&s.most.work, n, n+n/4)
	if c <= s.workCap {
		return nil
	}
	if s.work != 0 {
		_ = s.dev.Free(s.work)
		s.work, s.workCap = 0, 0
	}
	p, err := s.dev.Alloc(c)
	if err != nil {
		s.most.work.Store(0) // so much cannot be had
		return err
	}
	s.work, s.workCap = p, c
	return nil
}

// scratch takes n bytes of work.
func (s *stage) scratch(n int64) Ptr {
	p := s.work + Ptr(s.workUsed)
	s.workUsed += (n + 15) &^ 15
	return p
}

func (s *stage) reserveOut(n int) error {
	n = int(capacity(&s.most.out, int64(n), 1<<bits.Len(uint(n))))
	if n <= len(s.out) {
		return nil
	}
	s.freeOut()
	b, err := s.dev.HostAlloc(n)
	if err != nil {
		s.most.out.Store(0)
		return err
	}
	s.out = b
	if s.outDev, err = s.dev.Alloc(int64(n)); err != nil {
		s.freeOut()
		s.most.out.Store(0)
	}
	return err
}

func (s *stage) freeOut() {
	if s.out != nil {
		_ = s.dev.HostFree(s.out)
	}
	if s.outDev != 0 {
		_ = s.dev.Free(s.outDev)
	}
	s.out, s.outDev = nil, 0
}

func (s *stage) close() {
	s.freeIn()
	s.freeOut()
	if s.work != 0 {
		_ = s.dev.Free(s.work)
	}
	s.work = 0
}
