//go:build emu && cgo

package gpu

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
)

// Parts whose tiles differ, by what the floor asks of the list after the driver.
const (
	withoutFloor   = iota // nothing is known
	besideRare            // the list, which has few documents, must have the docID
	besideFrequent        // the same, but it has half of them
	blocksRuledOut        // the same, but no block has a posting that reaches it
	ruledOut              // both lists together do not reach the floor
	partKinds
)

// The device cuts parts into tiles that cover each block once, also those that several warps
// cut: of the length of the pass, or longer where few docIDs pass. Lists that cannot add
// hits get none, and a conjunction's tiles are of one length.
func TestTiles(t *testing.T) {
	const n = 1 << 20
	r := rand.New(rand.NewPCG(4, 2))
	dev := cuda.NewEmulator()
	for _, and := range []bool{false, true} {
		for _, run := range []uint32{1, 2, 8, kernels.MostRun} {
			s, floors := &pass{}, make([]uint64, partKinds)
			for kind, score := range map[int]float32{besideRare: 1.5, besideFrequent: 1.5, blocksRuledOut: 1.5, ruledOut: 2.5} {
				floors[kind] = uint64(math.Float32bits(score)) << 32
			}
			for i := range 40 {
				from := r.Uint32N(50)
				to := from + r.Uint32N(60)
				if i%8 >= 6 {
					to = from + r.Uint32N(5*partTiles*run)
				}
				s.add(kernels.QueryDesc{FirstTerm: 2 * uint32(i%partKinds), NTerms: 2, Docs: n, Slot: uint32(i % partKinds)}, from, to)
			}
			rare := kernels.ListDesc{N: n / 64, Presence: 16, PresenceScale: 1}
			frequent := kernels.ListDesc{N: n / 2, Presence: 16, PresenceScale: 1}
			var terms []kernels.Term
			for kind := range uint32(partKinds) {
				terms = append(terms, kernels.Term{List: kind, Weight: 1, Bound: 1, Rest: 1}, kernels.Term{List: min(kind, besideFrequent), Bound: 1})
			}
			b := layout.NewBuffers(dev, new(layout.Peak))
			b.Reset(0)
			l := &batch{x: &Executor{dev: dev, options: Options{tiles: 1}, docs: &docs.Docs{Fields: make([]docs.Field, 1)}}, st: &stages.Stage{Buffers: b}, conjunctive: and}
			if err := l.reserve(1<<21, 1<<20, 1<<20); err != nil {
				t.Fatal(err)
			}
			bounded := kernels.ListDesc{Quads: layout.Put(b, make([]uint64, 50+60+5*partTiles*run))}
			p := kernels.RankParams{Lists: layout.Put(b, []kernels.ListDesc{rare, rare, frequent, bounded, rare}), Queries: layout.Put(b, s.queries),
				Terms: layout.Put(b, terms), Floors: layout.Put(b, floors), Codes: layout.Put(b, make([]float32, 512))}
			n, launch := l.tiles(s, run, &p)
			b.CopyIn()
			launch()
			b.Batch.CopyOut(b.Out[:4], p.Count)
			b.Batch.CopyOut(b.Out[16:][:12*n], p.Tiles)
			if err := residency.Flush(dev, &b.Batch); err != nil {
				t.Fatal(err)
			}
			count := int(format.Uint32s(b.Out[:4])[0])
			if count > n {
				t.Fatalf("%d tiles, want at most %d", count, n)
			}
			tiles := slices.Clone(unsafe.Slice((*kernels.RankTile)(unsafe.Pointer(&b.Out[16])), count))
			slices.SortFunc(tiles, func(x, y kernels.RankTile) int {
				return cmp.Or(cmp.Compare(x.Query, y.Query), cmp.Compare(x.First, y.First))
			})
			for _, o := range s.parts {
				length := run
				switch kind := o.query % partKinds; {
				case kind == ruledOut:
					continue
				case kind == besideRare && !and:
					length = max(run, 16) // a 64th and 4 % pass
				case kind == blocksRuledOut && !and:
					length = kernels.MostRun
				}
				for at := o.from; at < o.to; tiles = tiles[1:] {
					// A warp cuts partTiles tiles of the length of the pass.
					piece := o.from + (at-o.from)/(partTiles*run)*partTiles*run
					want := kernels.RankTile{Query: o.query, First: at, End: min(at+length, piece+partTiles*run, o.to)}
					if len(tiles) == 0 || tiles[0] != want {
						t.Fatalf("AND %v, tiles of %d blocks: %v follow, want %v", and, run, tiles[:min(len(tiles), 1)], want)
					}
					at = want.End
				}
			}
			if len(tiles) > 0 {
				t.Errorf("AND %v, tiles of %d blocks: %v follow, want none", and, run, tiles[0])
			}
			if len(l.cuts) == len(s.parts) {
				t.Error("no part was long enough for two warps")
			}
			b.Close()
		}
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}
