//go:build emu && cgo

package gpuload

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/pinion-index/pinion/gpuload/internal/layout"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/kernels"
)

// The device cuts parts into the tiles that the definition gives, also those that several
// warps cut.
func TestTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	dev := cuda.NewEmulator()
	b := layout.NewBuffers(dev, new(layout.Peak))
	for _, run := range []uint32{1, 2, 32} {
		s := &pass{}
		var want []kernels.RankTile
		for i := range 40 {
			from := r.Uint32N(50)
			to := from + r.Uint32N(60)
			if i%8 == 7 {
				to = from + r.Uint32N(5*partTiles*run)
			}
			s.add(kernels.QueryDesc{}, from, to)
			for at := from; at < to; at += run {
				want = append(want, kernels.RankTile{Query: uint32(i), First: at, End: to})
			}
		}
		l := &batch{x: &Executor{dev: dev, options: Options{tiles: 1}}, st: &stage{Buffers: b}}
		b.Reset(0)
		if err := l.reserve(1<<16, 12*int64(len(want)), 12*len(want)); err != nil {
			t.Fatal(err)
		}
		at, n, launch := l.tiles(s, run)
		b.CopyIn()
		launch()
		b.Batch.CopyOut(b.Out[:12*n], at)
		if err := flush(dev, &b.Batch); err != nil {
			t.Fatal(err)
		}
		got := unsafe.Slice((*kernels.RankTile)(unsafe.Pointer(unsafe.SliceData(b.Out))), n)
		if n != len(want) {
			t.Fatalf("%d tiles of %d blocks, want %d", n, run, len(want))
		}
		for i, w := range want {
			g := got[i]
			if g.Query != w.Query || g.First != w.First || min(g.End, g.First+run) != min(w.End, w.First+run) {
				t.Fatalf("tile %d of %d blocks is %+v, want %+v", i, run, g, w)
			}
		}
		if !slices.ContainsFunc(l.cuts, func(o kernels.RankPart) bool { return o.At > 0 && o.To-o.From == partTiles*run }) {
			t.Error("no part was long enough for two warps")
		}
	}
	b.Close()
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
