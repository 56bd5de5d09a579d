//go:build emu && cgo

package cuda

import (
	"os"
	"time"
)

// emulated is the number of devices that Open can open. Each is one of its own every time.
const emulated = 2

// compiling is how long emulated drivers compile where codeVariable says that they do.
const compiling = 3 * time.Second

// Open returns the emulated device with that number, from 0.
func Open(number int) (Device, error) {
	if number < 0 || number >= emulated {
		return nil, noDevice(number, emulated)
	}
	e := NewEmulator()
	if os.Getenv(codeVariable) == "ptx" {
		e.Compile = compiling
	}
	return e, nil
}

// Count returns the number of emulated devices.
func Count() (int, error) { return emulated, nil }
