//go:build emu && cgo

package layout

import (
	"errors"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
)

// TestBuffersGrow checks that Buffers allocate the largest size needed so far or, if that
// allocation fails, keep what suffices or allocate what they need.
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
	}{{0, 400, 500}, {0, 300, 500}, {1, 10, 500}, {2, 2, 0}, {0, 401, 500}, {1, 300, 500}, {1, 300, 500},
		{2, 1, 1}, {1, 480, 500}, {0, 501, 0}, {0, 500, 500}, {0, 400, 500}} {
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

// TestBuffersShort lets memory run short for all buffers: what is there is kept.
func TestBuffersShort(t *testing.T) {
	dev := cuda.NewEmulator()
	var peak Peak
	a, b := NewBuffers(dev, &peak), NewBuffers(dev, &peak)
	if err := errors.Join(a.Reserve(100, 100, 100), b.Reserve(1000, 1000, 1000)); err != nil {
		t.Fatal(err)
	}
	dev.Memory = dev.Used() + 16
	in, work, out := a.InDev, a.work, a.OutDev
	if err := a.Reserve(100, 100, 100); err != nil || a.InDev != in || a.work != work || a.OutDev != out {
		t.Errorf("buffers that suffice: %v", err)
	}
	for name, err := range map[string]error{"in": a.ReserveIn(1000), "work": a.ReserveWork(1000), "out": a.ReserveOut(1000)} {
		if !errors.Is(err, cuda.ErrMemory) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := a.Reserve(10, 10, 10); err != nil {
		t.Errorf("buffers that fit exactly: %v", err)
	}
	a.Close()
	b.Close()
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestLend lends memory to Buffers, which use it while it suffices, and never free it.
func TestLend(t *testing.T) {
	dev := cuda.NewEmulator()
	host, err := dev.HostAlloc(1536)
	if err != nil {
		t.Fatal(err)
	}
	at, err := dev.Alloc(1 << 12)
	if err != nil {
		t.Fatal(err)
	}
	loan := Loan{In: host[:1024:1024], Out: host[1024:], InDev: at, OutDev: at + 1280, Work: at + 1792, WorkSize: 1 << 10}
	for _, grows := range []bool{false, true} {
		var peak Peak
		b := NewBuffers(dev, &peak)
		b.Lend(loan)
		for _, n := range []int{100, 512, 100} {
			if grows && n > 100 {
				n *= 8
			}
			if err := errors.Join(b.ReserveIn(n), b.ReserveOut(n), b.ReserveWork(int64(n))); err != nil {
				t.Fatal(err)
			}
			if lent := b.InDev == loan.InDev && b.OutDev == loan.OutDev && b.work == loan.Work; lent == (peak.in.Load() > 1024) {
				t.Errorf("%d bytes: in the memory that was lent: %v", n, lent)
			}
			if cap(b.In) < n || len(b.Out) < n || b.WorkSize() < int64(n) {
				t.Errorf("%d bytes: %d, %d and %d", n, cap(b.In), len(b.Out), b.WorkSize())
			}
		}
		if b.FreeWork(); b.work != loan.Work || b.WorkSize() != loan.WorkSize {
			t.Error("the memory that was lent is not used again")
		}
		b.Close()
	}
	if err := errors.Join(dev.HostFree(host), dev.Free(at), dev.Close()); err != nil {
		t.Error(err)
	}
}
