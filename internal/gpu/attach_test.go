//go:build emu && cgo

package gpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
)

// crowded is a device of which other processes take memory once it has been opened.
type crowded struct {
	*cuda.Emulator
	opened int64 // bytes that were free then
	arena  int64 // bytes asked for first
	tries  int   // how often as many were
}

func (d *crowded) Info() cuda.Info {
	i := d.Emulator.Info()
	i.Memory = d.opened
	return i
}

func (d *crowded) Alloc(n int64) (kernels.Ptr, error) {
	if d.arena == 0 {
		d.arena = n
	}
	if n == d.arena {
		d.tries++
	}
	return d.Emulator.Alloc(n)
}

// TestCrowded opens Executors while other processes take memory: with what is left they answer,
// on the device, or they say how much is missing, and free all that they have taken.
func TestCrowded(t *testing.T) {
	c, sc, qs := smallCollection(t)
	for _, v := range []struct {
		left, memory int64 // bytes left by others; Options.Memory
		again, fails bool  // an Executor tries with less; it fails
	}{
		{1 << 30, 0, false, false},
		{1 << 30, 4 << 20, false, false},
		{180 << 20, 0, true, false}, // less than the table of descriptors for 80 GB
		{180 << 20, 1 << 40, false, true},
		{90 << 20, 4 << 20, false, false}, // no room for the first buffers
		{48 << 20, 0, true, true},
		{1 << 20, 0, true, true},
	} {
		dev := &crowded{Emulator: cuda.NewEmulator(), opened: 80 << 30}
		dev.Memory = v.left
		cpu := &counted{brute: brute{c: c, sc: sc}}
		x := halfOf(viewsIn(c), Options{Scorer: sc, Memory: v.memory, CPU: cpu})
		err := x.attach(dev, x.stages.Lend)
		if again := dev.tries > 1; again != v.again {
			t.Errorf("%+v: tried %d times", v, dev.tries)
		}
		if v.fails {
			if !errors.Is(err, ErrMemory) || errors.Is(err, ErrDevice) || !strings.Contains(fmt.Sprint(err), fmt.Sprint(80<<30)) || !strings.Contains(fmt.Sprint(err), fmt.Sprint(x.shape().least())) {
				t.Errorf("%+v: %v", v, err)
			}
		} else if err != nil {
			t.Errorf("%+v: %v", v, err)
		} else {
			check(t, x, c, sc, qs, nil)
			if roomy := v.left > 100<<20; roomy && (cpu.asked > 0 || !x.stages.Lent()) || x.lists.Arena.Size() < 4<<20 || x.Err() != nil {
				t.Errorf("%+v: %d queries on the CPU, Options.Memory %d: %v", v, cpu.asked, x.options.Memory, x.Err())
			}
		}
		closeExecutor(t, x)
		if n := dev.Used(); n != 0 {
			t.Errorf("%+v: %d bytes are not freed", v, n)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}
