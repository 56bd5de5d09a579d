//go:build emu && cgo

package resident

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
	own "github.com/pinion-index/pinion/papers/kernels"
)

// put makes room for lists with rubbish between them, as decoders leave it.
func put(rng *rand.Rand, lists [][]uint32) (words []uint32, starts, lengths []int) {
	for _, l := range lists {
		starts, lengths = append(starts, len(words)), append(lengths, len(l))
		prev := ^uint32(0)
		for _, d := range l {
			words, prev = append(words, d-prev), d
		}
		for len(words)%128 != 0 {
			words = append(words, rng.Uint32())
		}
	}
	return words, starts, lengths
}

// TestPrefix sums lists of all lengths around a tile's in one launch, threads in order and not.
func TestPrefix(t *testing.T) {
	for _, seed := range []uint64{0, 5, 11} {
		rng := rand.New(rand.NewPCG(13, seed))
		lists := [][]uint32{{0}, {1<<32 - 2}}
		for _, n := range []int{3, 4, 5, 127, 129, 4095, 4096, 4097, 3 * 4096, 50_000} {
			lists = append(lists, rising(rng, n, 60*n))
		}
		words, starts, lengths := put(rng, lists)
		m := memory(t, device(t, seed))
		at := m.Put(kernels.Slice(words))
		x, err := NewPrefix(m, at, starts, lengths)
		if err != nil {
			t.Fatal(err)
		}
		var g cuda.Batch
		x.Enqueue(&g)
		if _, err := m.Run(&g); err != nil {
			t.Fatal(err)
		}
		got := make([]uint32, len(words))
		if err := m.Get(kernels.Slice(got), at); err != nil {
			t.Fatal(err)
		}
		for i, l := range lists {
			if sums := got[starts[i]:][:lengths[i]]; !slices.Equal(sums, l) {
				t.Errorf("seed %d: list %d of %d docIDs has others", seed, i, len(l))
			}
		}
	}
}

// TestPrefixLooksBack has a launch start in the middle of a list, behind tiles most of which
// have published no more than their own sums: the emulator runs one thread block after the
// other, and would not come to that by itself.
func TestPrefixLooksBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	const tile = own.MostPrefix
	docs := rising(rng, 70*tile-100, 1<<27)
	for _, c := range []struct {
		from   int   // tile that the launch starts with
		inSums []int // tiles before it that have the sum of the list; all others their own
	}{{1, []int{0}}, {2, []int{0}}, {32, []int{0}}, {33, []int{0}}, {34, []int{0, 33}}, {69, []int{0}}, {69, []int{0, 4, 5}}, {69, []int{0, 36, 37}}, {69, []int{0, 67}}} {
		m := memory(t, device(t, uint64(c.from)))
		words, starts, lengths := put(rng, [][]uint32{docs})
		at := m.Put(kernels.Slice(words))
		x, err := NewPrefix(m, at, starts, lengths)
		if err != nil {
			t.Fatal(err)
		}
		states := make([]uint64, x.p.NTiles+1) // the last has the next tile
		for i := range c.from {
			before := uint32(0)
			if i > 0 {
				before = docs[i*tile-1] + 1
			}
			states[i] = 1<<32 | uint64(docs[(i+1)*tile-1]+1-before)
			if slices.Contains(c.inSums, i) {
				states[i] = 2<<32 | uint64(docs[(i+1)*tile-1])
			}
		}
		states[x.p.NTiles] = uint64(c.from)
		m.Set(x.p.States, kernels.Slice(states)[:8*x.p.NTiles+4])
		var g cuda.Batch
		g.Launch(own.Prefix, int(x.p.NTiles)-c.from, 0, kernels.Bytes(&x.p))
		if _, err := m.Run(&g); err != nil {
			t.Fatal(err)
		}
		got := make([]uint32, len(docs))
		if err := m.Get(kernels.Slice(got), at); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[c.from*tile:], docs[c.from*tile:]) {
			t.Errorf("from tile %d, sums of the list in %v: other docIDs", c.from, c.inSums)
		}
		if !slices.Equal(got[:c.from*tile], words[:c.from*tile]) {
			t.Errorf("from tile %d: tiles before it have changed", c.from)
		}
	}
}
