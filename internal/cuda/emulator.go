//go:build emu && cgo

package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"github.com/pinion-index/pinion/internal/kernels"
)

// Emulator is a Device that runs the kernels on the host, slowly. Submit runs a batch
// synchronously.
type Emulator struct {
	// Seed, unless 0, makes threads and thread blocks run in random order.
	Seed uint64
	// Memory is the size of the device memory, Shared that of a thread block's shared
	// memory.
	Memory int64
	Shared int
	// FailRegister makes Register fail, as it does for some file systems.
	FailRegister bool
	// Compile, unless 0, is how long a driver that has to compile the kernels takes for it.
	Compile time.Duration

	mu     sync.Mutex
	device map[kernels.Ptr]int64 // allocations
	used   int64
	failed error
}

// NewEmulator returns an emulated device of 1 GiB.
func NewEmulator() *Emulator {
	return &Emulator{Memory: 1 << 30, Shared: 48 << 10, device: map[kernels.Ptr]int64{}}
}

// Info describes the device.
func (e *Emulator) Info() Info {
	return Info{Name: "emulator", Memory: e.Memory, Multiprocessors: 1, Shared: e.Shared, Compiles: e.Compile > 0}
}

// Alloc returns memory that is checked by the address sanitizer.
func (e *Emulator) Alloc(n int64) (kernels.Ptr, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n <= 0 || e.used+n > e.Memory {
		return 0, fmt.Errorf("%w: %d bytes wanted, %d of %d in use", ErrMemory, n, e.used, e.Memory)
	}
	b := kernels.HostAlloc(int(n))
	if b == nil {
		return 0, ErrMemory
	}
	rubbish(unsafe.Slice((*byte)(b), n))
	p := kernels.Ptr(uintptr(b))
	e.device[p] = n
	e.used += n
	return p, nil
}

// rubbish fills new memory, so that no code can rely on zeros. Tests use no more than the
// first mostRubbish bytes of an allocation.
func rubbish(b []byte) {
	b = b[:min(len(b), mostRubbish)]
	n := min(len(b), 256)
	for i := range b[:n] {
		b[i] = byte(i*131 + 77)
	}
	for ; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

const mostRubbish = 32 << 20

// Free frees memory returned by Alloc.
func (e *Emulator) Free(p kernels.Ptr) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	n, ok := e.device[p]
	if !ok {
		return fmt.Errorf("%w: free of %#x, which is not allocated", ErrDevice, uint64(p))
	}
	e.used -= n
	delete(e.device, p)
	kernels.HostFree(host(uint64(p)))
	return nil
}

// host turns an address outside Go's heap into a pointer.
func host(a uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a)) }

// HostAlloc returns host memory.
func (e *Emulator) HostAlloc(n int) ([]byte, error) {
	b := unsafe.Slice((*byte)(kernels.HostAlloc(max(n, 1))), n)
	rubbish(b)
	return b, nil
}

// HostFree frees memory returned by HostAlloc.
func (e *Emulator) HostFree(b []byte) error {
	kernels.HostFree(unsafe.Pointer(unsafe.SliceData(b)))
	return nil
}

// Register does nothing unless FailRegister is set.
func (e *Emulator) Register([]byte) error {
	if e.FailRegister {
		return fmt.Errorf("%w: registering host memory is switched off", ErrDevice)
	}
	return nil
}

// Unregister does nothing.
func (e *Emulator) Unregister([]byte) error { return nil }

// Load takes as long as e.Compile.
func (e *Emulator) Load(...kernels.Kernel) error {
	time.Sleep(e.Compile)
	return nil
}

// Submit runs the batch.
func (e *Emulator) Submit(b *Batch) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failed != nil {
		return e.failed
	}
	for i := range b.ops {
		if err := e.run(b, &b.ops[i]); err != nil {
			e.failed = fmt.Errorf("%w: %w", ErrDevice, err)
			return e.failed
		}
	}
	return nil
}

func (e *Emulator) run(b *Batch, o *op) error {
	switch o.kind {
	case opCopyIn:
		if err := e.check(o.a, o.c); err != nil {
			return err
		}
		copy(bytesAt(o.a, o.c), bytesAt(o.b, o.c))
	case opMove:
		if err := errors.Join(e.check(o.a, o.c), e.check(o.b, o.c)); err != nil {
			return err
		}
		copy(bytesAt(o.a, o.c), bytesAt(o.b, o.c))
	case opCopyOut:
		if err := e.check(o.b, o.c); err != nil {
			return err
		}
		copy(bytesAt(o.a, o.c), bytesAt(o.b, o.c))
	case opFill:
		if err := e.check(o.a, o.c); err != nil {
			return err
		}
		for b := bytesAt(o.a, o.c); len(b) >= 4; b = b[4:] {
			binary.NativeEndian.PutUint32(b, uint32(o.b))
		}
	case opLaunch:
		return kernels.Emulate(kernels.Kernel(o.a), int(o.b), int(o.c), b.params[o.d:o.d+o.e], e.Seed)
	}
	return nil
}

func bytesAt(a, n uint64) []byte { return unsafe.Slice((*byte)(host(a)), n) }

// check reports whether a range is within one allocation.
func (e *Emulator) check(a, n uint64) error {
	for p, size := range e.device {
		if a >= uint64(p) && a+n <= uint64(p)+uint64(size) {
			return nil
		}
	}
	return fmt.Errorf("copy of %d bytes at %#x leaves device memory", n, a)
}

// Wait returns the failure, if there was one.
func (e *Emulator) Wait(int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.failed
}

// Elapsed returns 0, since times of the emulator are meaningless.
func (e *Emulator) Elapsed(int, int) (float32, error) { return 0, nil }

// Used returns the bytes of device memory that are allocated.
func (e *Emulator) Used() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.used
}

// Close returns an error if device memory was not freed.
func (e *Emulator) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.device) > 0 {
		return fmt.Errorf("gpuload: %d allocations of device memory were not freed", len(e.device))
	}
	return nil
}
