//go:build cuda && cgo

package gpuload

import "testing"

// testDevice returns the device that tests run on.
func testDevice(t *testing.T, _ uint64) Device {
	t.Helper()
	d, err := OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	return d
}
