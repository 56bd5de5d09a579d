//go:build cuda || gpu

package gpu

import (
	"sync"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
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

// TestReopen opens and closes the device again and again, with kernels loaded, streams and events
// used, and in every other round kernels that are still being loaded: after the first rounds no
// device memory is lost.
func TestReopen(t *testing.T) {
	const (
		settled = 20      // rounds after which the driver has what it keeps
		slack   = 4 << 20 // the driver takes memory in pieces of 2 MiB
	)
	rounds, before := few(60, 200), int64(0)
	for i := range rounds + 1 {
		dev := testDevice(t, 0)
		switch free := dev.Info().Memory; {
		case i == settled:
			before = free
		case i == rounds && free < before-slack:
			t.Errorf("%d bytes are free after %d rounds, %d after %d", free, rounds, before, settled)
		}
		if err := dev.Load(kernels.CheckBlocks); err != nil {
			t.Fatal(err)
		}
		mem, err := dev.Alloc(256)
		if err != nil {
			t.Fatal(err)
		}
		for event := range cuda.Events {
			b := cuda.Batch{Stream: event % cuda.Streams}
			b.Fill(mem, 256)
			b.Record(event)
			if err := dev.Submit(&b); err != nil {
				t.Fatal(err)
			}
		}
		for stream := range cuda.Streams {
			if err := dev.Wait(stream); err != nil {
				t.Fatal(err)
			}
		}
		if err := dev.Free(mem); err != nil {
			t.Fatal(err)
		}
		var late sync.WaitGroup
		if i%2 > 0 {
			late.Go(func() { _ = dev.Load(kernels.MarkDocs, kernels.Rank) }) // it fails once the device is closed
		}
		if err := dev.Close(); err != nil {
			t.Fatal(err)
		}
		late.Wait()
	}
}
