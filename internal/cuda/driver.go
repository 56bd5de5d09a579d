//go:build linux && !emu && ((cuda && cgo) || ((amd64 || arm64) && !static))

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/pinion-index/pinion/kernels"
)

// minDriver is the lowest CUDA version whose drivers support PTX ISA 7.8.
const minDriver = 11080

// Attributes of devices and functions, as the driver numbers them.
const (
	attrMultiprocessors = 16
	attrSharedOptin     = 97 // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
	attrMaxShared       = 8  // of a function: MAX_DYNAMIC_SHARED_SIZE_BYTES
)

// Driver is a Device on an NVIDIA GPU. One goroutine, locked to its thread, opens it,
// allocates and registers. Batches are submitted and awaited on the caller's thread,
// because waking another thread takes up to 0.3 ms.
type Driver struct {
	calls   chan func()
	info    Info
	ctx     uintptr
	fns     [kernels.Count]uintptr
	threads [kernels.Count]uint32
	streams [Streams]uintptr
	events  [Events]uintptr
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
	version, devices, err := cuInit()
	switch {
	case err != nil:
		return err
	case version < minDriver:
		return fmt.Errorf("%w: the driver supports CUDA %d.%d, at least %d.%d is needed", ErrNoDevice, version/1000, version%1000/10,
			minDriver/1000, minDriver%1000/10)
	case number >= devices:
		return fmt.Errorf("%w: device %d of %d", ErrNoDevice, number, devices)
	}
	if err := d.openDevice(number); err != nil {
		return err
	}
	if err := d.load(); err != nil {
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
	var errs [4]error
	d.info.Name, errs[0] = cuDeviceName(dev)
	d.info.Multiprocessors, errs[1] = cuDeviceAttribute(dev, attrMultiprocessors)
	d.info.Shared, errs[2] = cuDeviceAttribute(dev, attrSharedOptin)
	d.info.Memory, errs[3] = cuMemFreeBytes()
	return errors.Join(errs[:]...)
}

// sharedStatic exceeds the static shared memory of every kernel that uses dynamic shared
// memory.
const sharedStatic = 2048

// load compiles the modules; the driver caches the result.
func (d *Driver) load() error {
	loaded := map[string]uintptr{}
	for _, name := range kernels.Modules() {
		text, err := kernels.PTX(name)
		if err != nil {
			return err
		}
		if loaded[name], err = cuModuleLoad(text); err != nil {
			return fmt.Errorf("module %s: %w", name, err)
		}
	}
	for _, k := range kernels.All() {
		f, err := cuModuleFunction(loaded[k.Module()], k.String())
		if err == nil && k.DynamicShared() {
			err = cuFuncSetAttribute(f, attrMaxShared, d.info.Shared-sharedStatic)
		}
		if err != nil {
			return fmt.Errorf("kernel %v: %w", k, err)
		}
		d.fns[k], d.threads[k] = f, uint32(k.Threads())
	}
	return nil
}

// Codes of results.
const (
	cuSuccess     = 0
	cuOutOfMemory = 2
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

// Info describes the device.
func (d *Driver) Info() Info { return d.info }

// Alloc returns device memory.
func (d *Driver) Alloc(n int64) (p kernels.Ptr, err error) {
	d.do(func() {
		if p, err = cuMemAlloc(n); err != nil {
			err = fmt.Errorf("%w: %d bytes", err, n)
		}
	})
	return p, err
}

// Free frees memory returned by Alloc.
func (d *Driver) Free(p kernels.Ptr) (err error) {
	d.do(func() { err = cuMemFree(p) })
	return err
}

// HostAlloc returns pinned memory.
func (d *Driver) HostAlloc(n int) (b []byte, err error) {
	d.do(func() {
		var p unsafe.Pointer
		if p, err = cuHostAlloc(max(n, 1)); err == nil {
			b = unsafe.Slice((*byte)(p), n)
		}
	})
	return b, err
}

// HostFree frees memory returned by HostAlloc.
func (d *Driver) HostFree(b []byte) (err error) {
	d.do(func() { err = cuHostFree(unsafe.Pointer(unsafe.SliceData(b))) })
	return err
}

// Register pins mapped memory for reading. The same mapping may be registered
// several times.
func (d *Driver) Register(b []byte) (err error) {
	d.do(func() {
		p := unsafe.Pointer(unsafe.SliceData(b))
		if d.pins[uintptr(p)] == 0 {
			err = cuHostRegister(p, len(b))
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
			err = cuHostUnregister(p)
		}
	})
	return err
}

// Submit enqueues a batch.
func (d *Driver) Submit(b *Batch) error {
	if len(b.ops) == 0 {
		return nil
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
	return d.here(func() error { return cuStreamWait(d.streams[stream]) })
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
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cuSetContext(d.ctx); err != nil {
		return err
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

// Flags of pinned and registered memory. Mappings of files opened for reading need
// hostReadOnly (CUDA 11.1).
const (
	hostPortable = 0x01
	hostReadOnly = 0x08
)
