//go:build cuda && cgo

package cuda

/*
#cgo LDFLAGS: -lcuda
#include "driver_shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/pinion-index/pinion/kernels"
)

// minDriver is the lowest CUDA version whose drivers support PTX ISA 7.8.
const minDriver = 11080

// Driver is a Device on an NVIDIA GPU. One goroutine, locked to its thread, opens it,
// allocates and registers. Batches are submitted and awaited on the caller's thread,
// because waking another thread takes up to 0.3 ms.
type Driver struct {
	calls   chan func()
	info    Info
	ctx     cu.CUContext
	fns     [kernels.Count]unsafe.Pointer
	threads [kernels.Count]uint32
	streams [Streams]unsafe.Pointer
	events  [Events]unsafe.Pointer
	marks   [Events]cu.Event
	pins    map[uintptr]int // how often each mapping is registered
}

// OpenDriver opens the GPU with that number.
func OpenDriver(number int) (*Driver, error) {
	d := &Driver{calls: make(chan func()), pins: map[uintptr]int{}}
	go func() {
		runtime.LockOSThread()
		for f := range d.calls {
			f()
		}
	}()
	var err error
	d.do(func() { err = d.open(number) })
	if err != nil {
		close(d.calls)
		return nil, err
	}
	return d, nil
}

// do runs f on the device's thread.
func (d *Driver) do(f func()) {
	done := make(chan struct{})
	d.calls <- func() { f(); close(done) }
	<-done
}

func (d *Driver) open(number int) error {
	n, err := cu.NumDevices()
	if err != nil || number >= n {
		return fmt.Errorf("%w: device %d of %d", ErrNoDevice, number, n)
	}
	if v := cu.Version(); v < minDriver {
		return fmt.Errorf("%w: the driver supports CUDA %d.%d, at least %d.%d is needed", ErrNoDevice, v/1000, v%1000/10,
			minDriver/1000, minDriver%1000/10)
	}
	dev, err := cu.GetDevice(number)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoDevice, err)
	}
	if d.ctx, err = dev.RetainPrimaryCtx(); err != nil {
		return fmt.Errorf("%w: %w", ErrNoDevice, err)
	}
	if err = cu.SetCurrentContext(d.ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
	d.info.Name, _ = dev.Name()
	d.info.Multiprocessors, _ = dev.Attribute(cu.MultiprocessorCount)
	d.info.Shared, _ = dev.Attribute(cu.DeviceAttribute(97)) // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
	var free, total C.size_t
	if err := result(C.pinion_meminfo(&free, &total)); err != nil {
		return err
	}
	d.info.Memory = int64(free)
	if err := d.load(); err != nil {
		return err
	}
	for i := range d.streams {
		s, err := cu.MakeStream(cu.NonBlocking)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDevice, err)
		}
		d.streams[i] = *(*unsafe.Pointer)(unsafe.Pointer(&s))
	}
	for i := range d.events {
		e, err := cu.MakeEvent(cu.DefaultEvent)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDevice, err)
		}
		d.marks[i] = e
		d.events[i] = *(*unsafe.Pointer)(unsafe.Pointer(&e))
	}
	return nil
}

// sharedStatic exceeds the static shared memory of every kernel that uses dynamic shared
// memory.
const sharedStatic = 2048

// load compiles the modules; the driver caches the result.
func (d *Driver) load() error {
	loaded := map[string]cu.Module{}
	for _, name := range kernels.Modules() {
		text, err := kernels.PTX(name)
		if err != nil {
			return err
		}
		m, err := cu.LoadData(text)
		if err != nil {
			return fmt.Errorf("%w: module %s: %w", ErrDevice, name, err)
		}
		loaded[name] = m
	}
	for _, k := range kernels.All() {
		f, err := loaded[k.Module()].Function(k.String())
		if err != nil {
			return fmt.Errorf("%w: kernel %v: %w", ErrDevice, k, err)
		}
		d.fns[k] = *(*unsafe.Pointer)(unsafe.Pointer(&f))
		d.threads[k] = uint32(k.Threads())
		if k.DynamicShared() {
			if err := result(C.pinion_shared(d.fns[k], C.int(d.info.Shared-sharedStatic))); err != nil {
				return fmt.Errorf("kernel %v: %w", k, err)
			}
		}
	}
	return nil
}

// result converts a result code of the driver to an error.
func result(r C.CUresult) error {
	switch r {
	case C.CUDA_SUCCESS:
		return nil
	case C.CUDA_ERROR_OUT_OF_MEMORY:
		return ErrMemory
	}
	return fmt.Errorf("%w: CUDA error %d: %s", ErrDevice, int(r), C.GoString(C.pinion_error(r)))
}

// Info describes the device.
func (d *Driver) Info() Info { return d.info }

// Alloc returns device memory.
func (d *Driver) Alloc(n int64) (p kernels.Ptr, err error) {
	d.do(func() {
		var q cu.DevicePtr
		if q, err = cu.MemAlloc(n); err != nil {
			err = fmt.Errorf("%w: %d bytes: %w", ErrMemory, n, err)
		}
		p = kernels.Ptr(q)
	})
	return p, err
}

// Free frees memory returned by Alloc.
func (d *Driver) Free(p kernels.Ptr) (err error) {
	d.do(func() { err = cu.MemFree(cu.DevicePtr(p)) })
	return err
}

// HostAlloc returns pinned memory.
func (d *Driver) HostAlloc(n int) (b []byte, err error) {
	d.do(func() {
		var p unsafe.Pointer
		if err = result(C.pinion_pinned(&p, C.size_t(max(n, 1)))); err == nil {
			b = unsafe.Slice((*byte)(p), n)
		}
	})
	return b, err
}

// HostFree frees memory returned by HostAlloc.
func (d *Driver) HostFree(b []byte) (err error) {
	d.do(func() { err = result(C.pinion_unpin(unsafe.Pointer(unsafe.SliceData(b)))) })
	return err
}

// Register pins mapped memory for reading. The same mapping may be registered
// several times.
func (d *Driver) Register(b []byte) (err error) {
	d.do(func() {
		p := unsafe.Pointer(unsafe.SliceData(b))
		if d.pins[uintptr(p)] == 0 {
			err = result(C.pinion_register(p, C.size_t(len(b))))
		}
		if err == nil {
			d.pins[uintptr(p)]++
		}
	})
	return err
}

// Unregister undoes a Register.
func (d *Driver) Unregister(b []byte) (err error) {
	d.do(func() {
		p := unsafe.Pointer(unsafe.SliceData(b))
		if d.pins[uintptr(p)]--; d.pins[uintptr(p)] <= 0 {
			delete(d.pins, uintptr(p))
			err = result(C.pinion_unregister(p))
		}
	})
	return err
}

// Submit enqueues a batch in one call of C.
func (d *Driver) Submit(b *Batch) error {
	if len(b.ops) == 0 {
		return nil
	}
	return d.here(func() error {
		var at C.int
		r := C.pinion_submit(d.streams[b.Stream], (*C.pinion_op)(unsafe.Pointer(&b.ops[0])), C.int(len(b.ops)),
			(*C.uchar)(unsafe.Pointer(unsafe.SliceData(b.params))), &d.fns[0], (*C.uint32_t)(&d.threads[0]), &d.events[0], &at)
		if err := result(r); err != nil {
			o := b.ops[at]
			return fmt.Errorf("operation %d of a batch (kind %d, %d): %w", int(at), o.kind, o.a, err)
		}
		return nil
	})
}

// Wait waits for a stream, on the caller's thread.
func (d *Driver) Wait(stream int) error {
	return d.here(func() error { return result(C.pinion_wait(d.streams[stream])) })
}

// Elapsed returns the milliseconds between two events.
func (d *Driver) Elapsed(from, to int) (ms float32, err error) {
	err = d.here(func() error {
		v, err := d.marks[from].Elapsed(d.marks[to])
		ms = float32(v)
		return err
	})
	return ms, err
}

// here runs f on the caller's thread.
func (d *Driver) here(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(d.ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
	return f()
}

// Close waits for all streams and stops the device's goroutine. It does not free memory.
func (d *Driver) Close() error {
	err := error(nil)
	for s := range d.streams {
		err = errors.Join(err, d.Wait(s))
	}
	close(d.calls)
	return err
}
