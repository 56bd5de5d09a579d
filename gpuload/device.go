package gpuload

import (
	"errors"
	"sync"

	"github.com/pinion-index/pinion/internal/cuda"
)

// Built says whether this program was built with support for a device.
const Built = cuda.Built

// Errors of devices and executors.
var (
	// ErrNoDevice says that there is no GPU, or that this program was built without
	// support for one.
	ErrNoDevice = cuda.ErrNoDevice
	// ErrMemory says that device or pinned memory is exhausted.
	ErrMemory = cuda.ErrMemory
	// ErrDevice says that a copy or kernel failed. The device cannot be used further.
	ErrDevice = cuda.ErrDevice
	// ErrClosed says that a Device, Executor, Conjunction or Gatherer has been closed.
	ErrClosed = errors.New("gpuload: closed")
)

// Info describes a device.
type Info struct {
	Name            string
	Memory          int64 // bytes free when the device was opened
	Multiprocessors int
	Shared          int // bytes of dynamic shared memory that a thread block can have
}

// Device is an open GPU, or with the build tag emu the emulator. Several Executors can
// use one. It is safe for concurrent use.
type Device struct {
	dev cuda.Device

	mu     sync.Mutex
	closed bool
	users  int // executors that are open
}

// OpenDevice opens the first GPU. The error matches ErrNoDevice if there is none or if
// the program was built without support for one; see Built.
func OpenDevice() (*Device, error) {
	dev, err := cuda.Open()
	if err != nil {
		return nil, err
	}
	return newDevice(dev), nil
}

func newDevice(dev cuda.Device) *Device { return &Device{dev: dev} }

// init lets the repository's own benchmarks work on the device itself.
func init() { cuda.Of = func(d any) cuda.Device { return d.(*Device).dev } }

// Info describes the device. It works after Close too.
func (d *Device) Info() Info { return Info(d.dev.Info()) }

// Close closes the device. Executors that are open keep it until they are closed; New
// returns ErrClosed from now on. Further calls do nothing.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
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
	if d.closed {
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
