//go:build emu && cgo

package gpu

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// TestRoom lays out batches with far more blocks than tiles. They must not take more pinned
// memory than they reserve, nor reserve much more than they take: allocating it is slow.
func TestRoom(t *testing.T) {
	for _, segments := range []int{1, 3} {
		c, sc := newCollection(t, gputrial.Shape{Docs: 20000, Segments: segments, Terms: 40, MaxDF: 0.9, MinDF: 1, DocsCodec: "bp128", FreqsCodec: "bp128"})
		dev := &unmanned{Device: cuda.NewEmulator()}
		x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 8 << 20, apart: segments > 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.LoadAll(context.Background()); err != nil {
			t.Fatal(err)
		}
		dev.idle.Store(true)
		for _, mode := range []query.Mode{query.ModeAnd, query.ModeOr} {
			for _, n := range []int{1, 40, 3000} {
				var qs []search.Query
				for _, q := range c.Draw(rand.New(rand.NewPCG(1, uint64(n))), n, 8, 30, mode) {
					qs = append(qs, q.Query())
				}
				if _, err := x.Execute(context.Background(), qs); err != nil {
					t.Fatal(err)
				}
				for i := range x.stages.All {
					b := x.stages.All[i].Buffers
					if len(b.In) > b.Wanted || b.Wanted > 4*len(b.In)+16384 {
						t.Errorf("%d segments, %d queries, %v: %d bytes wanted, %d taken", segments, n, mode, b.Wanted, len(b.In))
					}
				}
			}
		}
		dev.idle.Store(false)
		closeExecutor(t, x)
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSlots has fewer slots of the table than lists, and memory for all of them: lists are evicted
// for the sake of their slots.
func TestSlots(t *testing.T) {
	shape := someShape
	shape.Segments = 1
	c, sc := newCollection(t, shape)
	dev := cuda.NewEmulator()
	cpu := &brute{c: c, sc: sc}
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, CPU: cpu})
	if err != nil {
		t.Fatal(err)
	}
	x.lists.Zone = 4
	x.scarcity.sooner = func(int, int) bool { return true } // loading is, however fast this machine
	for term := range 10 {
		check(t, x, c, sc, []gputrial.Query{{Terms: []int{term, (term + 1) % 10}, K: 10, Mode: query.ModeOr}}, nil)
	}
	if s := x.Stats(); cpu.asked > 0 || s.Lists != 4 || s.Evicted < 6 || s.Refused > 0 {
		t.Errorf("%d queries on the CPU, %+v", cpu.asked, s)
	}
	check(t, x, c, sc, []gputrial.Query{{Terms: []int{0, 1, 2, 3, 4}, K: 10, Mode: query.ModeOr}}, nil)
	if cpu.asked != 1 {
		t.Errorf("%d queries of more lists than slots on the CPU", cpu.asked)
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
