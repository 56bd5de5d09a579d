//go:build emu && cgo

package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// faulty is a device that fails at one operation: an allocation, with ErrMemory, or a
// submission.
type faulty struct {
	*cuda.Emulator
	left  atomic.Int64 // operations until the failure
	lasts bool         // after an allocation failed, others do
	short atomic.Bool  // that is so
}

func (f *faulty) fails() bool { return f.left.Add(-1) == 0 }

func (f *faulty) lacks() bool {
	if f.fails() {
		f.short.Store(f.lasts)
		return true
	}
	return f.short.Load()
}

func (f *faulty) Alloc(n int64) (kernels.Ptr, error) {
	if f.lacks() {
		return 0, ErrMemory
	}
	return f.Emulator.Alloc(n)
}

func (f *faulty) HostAlloc(n int) ([]byte, error) {
	if f.lacks() {
		return nil, ErrMemory
	}
	return f.Emulator.HostAlloc(n)
}

func (f *faulty) Submit(b *cuda.Batch) error {
	if f.fails() {
		return ErrDevice
	}
	return f.Emulator.Submit(b)
}

// TestFaults makes the first operation fail, then the second and so on, until none fails.
// Each error names its cause, no memory leaks, and single queries get the same error or
// their answer. Memory that ran out may be there again; a device that failed stays retired.
func TestFaults(t *testing.T) {
	shape := someShape
	shape.Docs, shape.Terms = 700, 8
	c, sc := newCollection(t, shape)
	qs := c.Draw(rand.New(rand.NewPCG(2, 9)), 4, 3, 20, query.ModeAnd, query.ModeOr, query.ModeAndOr)
	in := make([]search.Query, len(qs))
	for i, q := range qs {
		in[i] = q.Query()
	}
	for at := int64(1); ; at++ {
		dev := &faulty{Emulator: cuda.NewEmulator(), lasts: true}
		dev.left.Store(at)
		x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20})
		if err == nil {
			_, err = x.Execute(context.Background(), in)
			dev.short.Store(false)
			_, again := x.Execute(context.Background(), in)
			if retired := errors.Is(err, ErrDevice); err != nil && (errors.Is(again, ErrDevice) != retired || errors.Is(x.Err(), ErrDevice) != retired || again != nil && !retired) {
				t.Errorf("after operation %d failed: %v, retired with %v", at, again, x.Err())
			}
			err = errors.Join(err, again)
			closeExecutor(t, x)
		}
		if err := dev.Close(); err != nil {
			t.Errorf("operation %d: %v", at, err)
		}
		if err == nil && dev.left.Load() > 0 {
			if at < 20 {
				t.Errorf("only %d operations", at)
			}
			return
		}
		if err == nil || !errors.Is(err, ErrMemory) && !errors.Is(err, ErrDevice) {
			t.Fatalf("operation %d failed: %v", at, err)
		}
		if at > 500 {
			t.Fatal("too many operations")
		}
	}
}
