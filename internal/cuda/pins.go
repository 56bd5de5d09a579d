//go:build linux && !emu && ((cuda && cgo) || ((amd64 || arm64) && !static))

package cuda

import (
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"
)

// pins are the mappings that are registered in this process, by address. The driver
// refuses to register one for a second device, and need not: it is registered for all.
var pins = struct {
	mu sync.Mutex
	at map[uintptr]*pin
}{at: map[uintptr]*pin{}}

// pin is a registered mapping. One whose registration cannot be undone stays, with no
// users: the driver knows pages that may belong to another mapping by now.
type pin struct {
	users int
	ctx   uintptr // of the device that has registered it
}

// Register pins mapped memory for reading. The same mapping may be registered several
// times, also for several devices.
func (d *Driver) Register(b []byte) error {
	pins.mu.Lock()
	defer pins.mu.Unlock()
	p := unsafe.Pointer(unsafe.SliceData(b))
	old := pins.at[uintptr(p)]
	switch {
	case old != nil && old.users == 0:
		return fmt.Errorf("%w: a mapping at this address is still registered", ErrDevice)
	case old != nil:
		old.users++
		return nil
	}
	// Pages that are not resident are read from storage.
	err := d.doWithin(time.Hour, func() error { return cuHostRegister(p, len(b), hostPortable|hostReadOnly) })
	if err == nil {
		pins.at[uintptr(p)] = &pin{1, d.ctx}
	}
	return err
}

// Unregister undoes a Register.
func (d *Driver) Unregister(b []byte) error {
	pins.mu.Lock()
	defer pins.mu.Unlock()
	p := unsafe.Pointer(unsafe.SliceData(b))
	old := pins.at[uintptr(p)]
	if old.users--; old.users > 0 {
		return nil
	}
	err := d.do(func() error {
		if err := cuSetContext(old.ctx); err != nil {
			return err
		}
		err := cuHostUnregister(p)
		return errors.Join(err, cuSetContext(d.ctx))
	})
	if err == nil {
		delete(pins.at, uintptr(p))
	}
	return err
}
