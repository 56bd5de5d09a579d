package gpu

import (
	"fmt"
	"sync"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/reader"
)

// Errors of devices and executors.
var (
	// ErrNoDevice means that there is no GPU or that this program was built without
	// support for one.
	ErrNoDevice = cuda.ErrNoDevice
	// ErrMemory means that device memory or pinned host memory is exhausted.
	ErrMemory = cuda.ErrMemory
	// ErrDevice means that a copy or a kernel failed. The device cannot be used any more.
	ErrDevice = cuda.ErrDevice
	// ErrClosed means that a Device, Executor or Conjunction has been closed. It
	// matches reader.ErrClosed.
	ErrClosed = fmt.Errorf("gpuload: %w", reader.ErrClosed)
)

// Info describes a device.
type Info struct {
	Name            string
	Memory          int64 // bytes free when the device was opened
	Multiprocessors int
	Shared          int // maximum dynamic shared memory of a thread block, in bytes
	// Compiles means that the program has no code for the device, so that the driver
	// compiles it: for up to a minute on a machine that has not cached the result. An
	// Executor answers with Options.CPU meanwhile.
	Compiles bool
}

// Device is an open GPU or, with the build tag emu, the emulator. Several Executors can
// share a Device. It is safe for concurrent use.
type Device struct {
	dev cuda.Device

	mu     sync.Mutex
	closed bool
	users  int // open executors
}

// Devices returns the number of GPUs that the process may use, which CUDA_VISIBLE_DEVICES
// can restrict. The error matches ErrNoDevice if the NVIDIA driver is missing or too old,
// or if the program was built without support for GPUs: that takes Linux on amd64 or arm64
// and no build tag static, or the build tag emu.
func Devices() (int, error) { return cuda.Count() }

// OpenDevice opens the first GPU. The error matches ErrNoDevice if there is none, or as
// that of Devices.
func OpenDevice() (*Device, error) { return OpenDeviceNumber(0) }

// OpenDeviceNumber opens the GPU with a number from 0 to Devices-1.
func OpenDeviceNumber(number int) (*Device, error) {
	dev, err := cuda.Open(number)
	if err != nil {
		return nil, err
	}
	return newDevice(dev), nil
}

func newDevice(dev cuda.Device) *Device { return &Device{dev: dev} }

// Driver returns the device itself, for benchmarks and tests.
func (d *Device) Driver() cuda.Device { return d.dev }

// Wrap puts what wrap returns in the place of Driver, for Executors that are opened from then on.
func (d *Device) Wrap(wrap func(cuda.Device) cuda.Device) { d.dev = wrap(d.dev) }

// Watch has note called with each kernel of the batches that Executors opened from then on submit, by any goroutine.
func (d *Device) Watch(note func(kernels.Kernel)) {
	d.Wrap(func(dev cuda.Device) cuda.Device { return &cuda.Watched{Device: dev, Note: note} })
}

// Info describes the device. It can be called after Close.
func (d *Device) Info() Info {
	if d.dev == nil {
		return Info{}
	}
	i := d.dev.Info()
	return Info{Name: i.Name, Memory: i.Memory, Multiprocessors: i.Multiprocessors, Shared: i.Shared, Compiles: i.Compiles}
}

// Close closes the device once all its Executors are closed; open Executors keep working,
// but New returns ErrClosed. Further calls do nothing.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.dev == nil {
		return nil
	}
	d.closed = true
	if d.users > 0 {
		return nil
	}
	return d.dev.Close()
}

// hold keeps the device open for an executor.
func (d *Device) hold() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.dev == nil {
		return ErrClosed
	}
	d.users++
	return nil
}

// release undoes hold.
func (d *Device) release() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users--; d.users > 0 || !d.closed {
		return nil
	}
	return d.dev.Close()
}
