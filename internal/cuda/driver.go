//go:build linux && !emu && ((cuda && cgo) || ((amd64 || arm64) && !static))

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/pinion-index/pinion/internal/kernels"
)

// minDriver is the lowest CUDA version whose drivers support PTX ISA 7.8.
const minDriver = 11080

// Attributes of devices and functions, as the driver numbers them.
const (
	attrMultiprocessors = 16
	attrMajor           = 75 // COMPUTE_CAPABILITY_MAJOR
	attrMinor           = 76
	attrSharedOptin     = 97 // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
	attrMaxShared       = 8  // of a function: MAX_DYNAMIC_SHARED_SIZE_BYTES
)

// Driver is a Device on an NVIDIA GPU. One goroutine, locked to its thread, opens it,
// allocates and registers. Batches are submitted and awaited on the caller's thread,
// because waking another thread takes up to 0.3 ms.
//
// A device that does not finish its work in time is dead: calls fail instead of waiting
// for it, and its memory is left to the end of the process.
type Driver struct {
	modules
	slab    slab
	calls   chan func()
	dead    atomic.Bool
	info    Info
	ctx     uintptr
	streams [Streams]uintptr
	events  [Events]uintptr
	waiting atomic.Int32 // calls of Wait
}

// OpenDriver opens the GPU with that number.
func OpenDriver(number int) (*Driver, error) {
	d := &Driver{calls: make(chan func())}
	go func() {
		runtime.LockOSThread()
		for f := range d.calls {
			f()
		}
	}()
	d.modules.init()
	d.slab.begin()
	if err := d.doWithin(time.Hour, func() error { return d.open(number) }); err != nil {
		if !d.dead.Load() {
			err = errors.Join(err, d.do(d.free))
		}
		close(d.calls)
		return nil, err
	}
	return d, nil
}

// do runs f on the device's thread. A call that does not return makes the device dead.
func (d *Driver) do(f func() error) error { return d.doWithin(hangs, f) }

// doWithin is do with a time limit.
func (d *Driver) doWithin(limit time.Duration, f func() error) error {
	if d.dead.Load() {
		return errDead
	}
	done := make(chan error, 1)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	call := func() { done <- f() }
	for calls, late := d.calls, false; ; {
		select {
		case calls <- call:
			calls = nil
		case err := <-done:
			return err
		case <-timer.C:
			if !late { // the process may have been stopped for that time
				late = true
				timer.Reset(limit / 16)
				continue
			}
			d.dead.Store(true)
			return errDead
		}
	}
}

var (
	errDead   = fmt.Errorf("%w: the driver does not return", ErrDevice)
	errClosed = fmt.Errorf("%w: it is closed", ErrDevice)
)

func (d *Driver) open(number int) error {
	version, devices, err := cuInit()
	switch {
	case err != nil:
		return err
	case version < minDriver:
		return fmt.Errorf("%w: the driver supports CUDA %d.%d, at least %d.%d is needed", ErrNoDevice, version/1000, version%1000/10,
			minDriver/1000, minDriver%1000/10)
	case number < 0 || number >= devices:
		return noDevice(number, devices)
	}
	if err := d.openDevice(number); err != nil {
		return err
	}
	for i := range d.streams {
		if d.streams[i], err = cuStreamCreate(); err != nil {
			return err
		}
	}
	for i := range d.events {
		if d.events[i], err = cuEventCreate(); err != nil {
			return err
		}
	}
	d.slab.register()
	return nil
}

// openDevice makes the device's primary context current and describes the device.
func (d *Driver) openDevice(number int) (err error) {
	dev, err := cuDeviceGet(number)
	if err != nil {
		return err
	}
	if d.ctx, err = cuPrimaryContext(dev); err != nil {
		return err
	}
	if err = cuSetContext(d.ctx); err != nil {
		return err
	}
	var errs [6]error
	d.info.Name, errs[0] = cuDeviceName(dev)
	d.info.Multiprocessors, errs[1] = cuDeviceAttribute(dev, attrMultiprocessors)
	d.info.Shared, errs[2] = cuDeviceAttribute(dev, attrSharedOptin)
	d.info.Memory, errs[3] = cuMemFreeBytes()
	d.info.Major, errs[4] = cuDeviceAttribute(dev, attrMajor)
	d.info.Minor, errs[5] = cuDeviceAttribute(dev, attrMinor)
	d.info.Compiles = compiles(d.info)
	return errors.Join(errs[:]...)
}

// Codes of results.
const (
	cuSuccess     = 0
	cuOutOfMemory = 2
	cuNotReady    = 600
)

// result converts a result code of the driver to an error.
func result(code int) error {
	switch code {
	case cuSuccess:
		return nil
	case cuOutOfMemory:
		return ErrMemory
	}
	return fmt.Errorf("%w: CUDA error %d: %s", ErrDevice, code, cuErrorString(code))
}

// unlessNotReady is result for a query of work that may go on.
func unlessNotReady(code int) error {
	if code == cuNotReady {
		return nil
	}
	return result(code)
}

// Info describes the device.
func (d *Driver) Info() Info { return d.info }

// Alloc returns device memory.
func (d *Driver) Alloc(n int64) (kernels.Ptr, error) {
	p := new(kernels.Ptr) // of a call that returns in time
	err := d.do(func() (err error) {
		*p, err = cuMemAlloc(n)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("%w: %d bytes", err, n)
	}
	return *p, nil
}

// Free frees memory returned by Alloc.
func (d *Driver) Free(p kernels.Ptr) error {
	return d.do(func() error { return cuMemFree(p) })
}

// HostAlloc returns pinned memory.
func (d *Driver) HostAlloc(n int) ([]byte, error) {
	if b := d.slab.alloc(n); b != nil {
		return b, nil
	}
	p := new(unsafe.Pointer)
	err := d.do(func() (err error) {
		*p, err = cuHostAlloc(max(n, 1))
		return err
	})
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(*p), n), nil
}

// HostFree frees memory returned by HostAlloc.
func (d *Driver) HostFree(b []byte) error {
	if d.slab.put(b) {
		return nil
	}
	return d.do(func() error { return cuHostFree(unsafe.Pointer(unsafe.SliceData(b))) })
}

// Submit enqueues a batch.
func (d *Driver) Submit(b *Batch) error {
	if len(b.ops) == 0 {
		return nil
	}
	for i := range b.ops {
		if b.ops[i].kind == opLaunch {
			if err := d.need(kernels.Kernel(b.ops[i].a)); err != nil {
				return err
			}
		}
	}
	return d.here(func() error {
		at, err := d.submit(b)
		if err != nil {
			o := b.ops[at]
			return fmt.Errorf("operation %d of a batch (kind %d, %d): %w", at, o.kind, o.a, err)
		}
		return nil
	})
}

// Wait waits for a stream, on the caller's thread.
func (d *Driver) Wait(stream int) error {
	err := wait(func() (done bool, err error) {
		err = d.here(func() error {
			done, err = cuStreamDone(d.streams[stream])
			return err
		})
		return done, err
	}, &d.waiting, hangs)
	if errors.Is(err, errHang) {
		d.dead.Store(true)
	}
	return err
}

// Elapsed returns the milliseconds between two events.
func (d *Driver) Elapsed(from, to int) (ms float32, err error) {
	err = d.here(func() error {
		ms, err = cuEventElapsed(d.events[from], d.events[to])
		return err
	})
	return ms, err
}

// here runs f on the caller's thread.
func (d *Driver) here(f func() error) error {
	if d.dead.Load() {
		return errDead
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cuSetContext(d.ctx); err != nil {
		return err
	}
	return f()
}

// Close waits for all streams, frees what OpenDriver and Load have made, and stops the device's
// goroutine. It does not free memory that has been allocated.
func (d *Driver) Close() error {
	err := error(nil)
	for s := range d.streams {
		if err = d.Wait(s); err != nil {
			break
		}
	}
	if err == nil {
		err = d.do(d.free)
	}
	close(d.calls)
	return err
}

// free frees what open and loadModule have made, on the device's thread. The device is idle. It
// stops at the first error, since a device that fails one call fails those after it.
//
// The primary context stays retained: to open it again takes 0.13 s, and the other Drivers of
// the process share it.
func (d *Driver) free() error {
	if err := d.slab.end(); err != nil {
		return err
	}
	for _, all := range []struct {
		handles []uintptr
		destroy func(uintptr) error
	}{{d.modules.end(), cuModuleUnload}, {d.events[:], cuEventDestroy}, {d.streams[:], cuStreamDestroy}} {
		for _, h := range all.handles {
			if h == 0 { // open has not come that far
				continue
			}
			if err := all.destroy(h); err != nil {
				return err
			}
		}
	}
	return nil
}

// Flags of pinned and registered memory. Mappings of files opened for reading need
// hostReadOnly (CUDA 11.1).
const (
	hostPortable = 0x01
	hostReadOnly = 0x08
)
