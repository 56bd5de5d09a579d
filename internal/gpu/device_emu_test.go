//go:build emu && cgo

package gpu

import (
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
)

// testDevice returns the device that tests run on.
func testDevice(t *testing.T, seed uint64) cuda.Device {
	d := cuda.NewEmulator()
	d.Seed = seed
	return d
}
