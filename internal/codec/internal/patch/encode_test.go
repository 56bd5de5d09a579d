package patch

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/simd"
)

// TestEncode compares what an encoder asks of values, at every tier, with counts of their
// own definition.
func TestEncode(t *testing.T) {
	for _, tier := range simd.Tiers() {
		t.Run(tier.String(), func(t *testing.T) {
			defer simd.SetLevel(tier)()
			testEncode(t)
		})
	}
}

func testEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, or := drawValues(t)
		v = slices.Clip(slices.Clone(v))
		width := rapid.UintRange(0, 31).Draw(t, "width")
		var positions, overflows []uint32
		var bitmap [2]uint64
		for i, x := range v {
			if x>>width != 0 {
				positions, overflows = append(positions, uint32(i)), append(overflows, x>>width-1)
				bitmap[i/64] |= 1 << (i % 64)
			}
		}
		var h Histogram
		for b := range h.exceed {
			h.exceed[b] = 77 // of a block before
		}
		h.Count(v, or)
		var e taken
		e.lo, e.hi = 1<<64-1, 5
		e.split(v, width)
		if h.max != slices.Max(v) {
			t.Fatalf("greatest %d of %v", h.max, v)
		}
		for b, got := range h.exceed {
			want := uint32(0)
			for _, x := range v {
				if bits.Len32(x) > b {
					want++
				}
			}
			if got != want {
				t.Fatalf("%d values need more than %d bits, not %d", want, b, got)
			}
		}
		n := len(positions)
		if [2]uint64{e.lo, e.hi} != bitmap || !slices.Equal(e.positions[:n], positions) || !slices.Equal(e.overflows[:n], overflows) {
			t.Fatalf("width %d takes %v, %v, %x out of %v", width, e.positions[:n], e.overflows[:n], []uint64{e.lo, e.hi}, v)
		}
	})
}

// BenchmarkEncode has a fifteenth of the values as exceptions.
func BenchmarkEncode(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 5))
	v := make([]uint32, bitpack.BlockLen)
	for i := range v {
		v[i] = rng.Uint32N(64)
		if rng.Uint32N(15) == 0 {
			v[i] <<= 4
		}
	}
	or := uint32(1<<10 - 1)
	for _, n := range []int{len(v), 64, 32} {
		for _, tier := range simd.Tiers() {
			b.Run(fmt.Sprintf("choose/%d/%v", n, tier), func(b *testing.B) {
				defer simd.SetLevel(tier)()
				for b.Loop() {
					Choose(v[:n], or, headBits)
				}
			})
			b.Run(fmt.Sprintf("split/%d/%v", n, tier), func(b *testing.B) {
				defer simd.SetLevel(tier)()
				var e taken
				for b.Loop() {
					e.split(v[:n], 6)
				}
			})
		}
	}
}
