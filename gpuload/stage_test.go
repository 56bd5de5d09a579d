//go:build emu && cgo

package gpuload

import (
	"errors"
	"testing"
)

// Stages take as much as the greatest has needed, unless that could not be had.
func TestStagesGrow(t *testing.T) {
	dev := NewEmulator()
	dev.Memory = 1001
	var most most
	var stages [3]stage
	for i := range stages {
		stages[i].dev, stages[i].most = dev, &most
	}
	for i, c := range []struct {
		stage      int
		need, want int64
	}{{0, 400, 500}, {0, 300, 500}, {1, 10, 500}, {2, 1, 0}, {0, 401, 501}, {1, 300, 0}, {1, 300, 375}} {
		err := stages[c.stage].reserveWork(c.need)
		if c.want == 0 {
			if !errors.Is(err, ErrMemory) {
				t.Errorf("step %d: %v", i, err)
			}
			continue
		}
		if err != nil || stages[c.stage].workCap != c.want {
			t.Errorf("step %d: %d bytes, %v", i, stages[c.stage].workCap, err)
		}
	}
	for i := range stages {
		stages[i].close()
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
