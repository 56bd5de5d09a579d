//go:build emu && cgo && !cuda

package gpuload

import "testing"

// testDevice returns the device that tests run on.
func testDevice(t *testing.T, seed uint64) Device {
	d := NewEmulator()
	d.Seed = seed
	return d
}
