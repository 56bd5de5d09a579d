//go:build cuda || gpu

package gpuload

import (
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
)

// testDevice returns the device that tests run on.
func testDevice(t *testing.T, _ uint64) cuda.Device {
	t.Helper()
	d, err := cuda.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
