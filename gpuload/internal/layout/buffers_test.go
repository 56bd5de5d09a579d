//go:build emu && cgo

package layout

import (
	"errors"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
)

// TestBuffersGrow checks that Buffers allocate the largest size needed so far, unless
// that allocation failed.
func TestBuffersGrow(t *testing.T) {
	dev := cuda.NewEmulator()
	dev.Memory = 1001
	var peak Peak
	var buffers [3]*Buffers
	for i := range buffers {
		buffers[i] = NewBuffers(dev, &peak)
	}
	for i, c := range []struct {
		which      int
		need, want int64
	}{{0, 400, 500}, {0, 300, 500}, {1, 10, 500}, {2, 1, 0}, {0, 401, 501}, {1, 300, 0}, {1, 300, 375}} {
		b := buffers[c.which]
		err := b.ReserveWork(c.need)
		if c.want == 0 {
			if !errors.Is(err, cuda.ErrMemory) {
				t.Errorf("step %d: %v", i, err)
			}
			continue
		}
		if err != nil || b.WorkSize() != c.want {
			t.Errorf("step %d: %d bytes, %v", i, b.WorkSize(), err)
		}
	}
	for _, b := range buffers {
		b.Close()
		b.Close()
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
