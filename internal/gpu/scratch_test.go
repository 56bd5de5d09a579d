//go:build emu && cgo

package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// TestScratchFaults makes the first operation fail, then the second and so on. Each run
// gives an error that names its cause or the right answers, and leaks no memory.
func TestScratchFaults(t *testing.T) {
	shape := someShape
	shape.Docs, shape.Terms = 700, 8
	c, sc := newCollection(t, shape)
	qs := c.Draw(rand.New(rand.NewPCG(2, 9)), 4, 3, 20, query.ModeOr)
	in := make([]search.Query, len(qs))
	for i, q := range qs {
		in[i] = q.Query()
	}
	for at, failed := int64(1), 0; ; at++ {
		dev := &faulty{Emulator: cuda.NewEmulator()}
		dev.left.Store(at)
		x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, ranges: 1})
		if err == nil {
			var got []search.Result
			got, err = x.Execute(context.Background(), in)
			for i := range got {
				if want := c.Answer(sc, qs[i], nil); err == nil && !gputrial.Equal(got[i].Hits, want) {
					t.Errorf("operation %d, query %d: got %v, want %v", at, i, got[i].Hits, want)
				}
			}
			closeExecutor(t, x)
		}
		if err := dev.Close(); err != nil {
			t.Errorf("operation %d: %v", at, err)
		}
		if err != nil {
			failed++
			if !errors.Is(err, ErrMemory) && !errors.Is(err, ErrDevice) {
				t.Fatalf("operation %d failed: %v", at, err)
			}
		}
		if dev.left.Load() > 0 {
			if failed < 8 {
				t.Errorf("only %d failures", failed)
			}
			return
		}
	}
}

// TestIdleScratch has room for the scratch memory of one large batch, which each stage gets in turn,
// and asks small queries afterwards: idle stages give back what others lack.
func TestIdleScratch(t *testing.T) {
	c, sc := newCollection(t, gputrial.Shape{Docs: 60000, Segments: 1, Terms: 12, MaxDF: 0.9, MinDF: 1, DocsCodec: "bp128", FreqsCodec: "bp128", Seed: 8})
	dev := cuda.NewEmulator()
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.stages.Lend(); err != nil {
		t.Fatal(err)
	}
	if err := x.LoadAll(context.Background()); err != nil {
		t.Fatal(err)
	}
	large := c.Draw(rand.New(rand.NewPCG(1, 2)), 40, 6, 10, query.ModeOr)
	before := dev.Used()
	check(t, x, c, sc, large, nil)
	dev.Memory = dev.Used() + (dev.Used()-before)/8
	for range stages.Count {
		check(t, x, c, sc, large, nil)
	}
	for range stages.Count {
		check(t, x, c, sc, large[:1], nil)
	}
	if err := conjoin(x, []search.Query{large[0].Query()}, MergePath); err != nil {
		t.Error(err)
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
