package unary

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/simd"
)

// TestTiers compares every tier with sums computed bit by bit, on arbitrary bits.
func TestTiers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, MaxWords).Draw(t, "words")
		from := rapid.UintRange(0, 31).Draw(t, "from")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		src := make([]byte, words*4+64)
		thin := rapid.IntRange(0, 4).Draw(t, "thin")
		for i := range src {
			src[i] = byte(rng.Uint32())
			for range thin {
				src[i] &= byte(rng.Uint32())
			}
		}
		src = src[:words*4]
		n := len(ones(src, from))
		if n == 0 || n > MaxOnes || rapid.IntRange(0, 9).Draw(t, "wrong") == 0 {
			n = rapid.IntRange(1, MaxOnes).Draw(t, "n")
		}
		low := make([]uint32, MaxOnes)
		width := rapid.UintRange(0, 32).Draw(t, "width")
		for i := range low {
			low[i] = rng.Uint32() & uint32(uint64(1)<<width-1)
		}
		for _, tier := range simd.Tiers() {
			func() {
				defer simd.SetLevel(tier)()
				compare(t, tier, low, n, src, from, width, rng.Uint32())
			}()
		}
	})
}

// ones returns the positions of ones, bit by bit.
func ones(src []byte, from uint) (p []uint32) {
	for i := int(from); i < len(src)*8; i++ {
		if src[i/8]>>(i%8)&1 == 1 {
			p = append(p, uint32(i)-uint32(from))
		}
	}
	return p
}

// compare compares all results for a unary part.
func compare(t *rapid.T, tier simd.Tier, low []uint32, n int, src []byte, from, width uint, base uint32) {
	width31 := min(width, 31)
	p := ones(src, from)
	sum := func(i int) uint64 { return uint64(p[i] - uint32(i)) }
	joined := func(i int) uint64 {
		if i < 0 {
			return 0
		}
		return sum(i)<<width | uint64(low[i])
	}
	for name, f := range map[string]struct {
		got  func(dst []uint32) bool
		want func(i int) (x uint32, ok bool)
	}{
		"sums": {
			func(dst []uint32) bool { return AddSums(dst, src, from, width) },
			func(i int) (uint32, bool) { return low[i] + uint32(sum(i)<<width), true },
		},
		"numbers": {
			func(dst []uint32) bool { return AddNumbers(dst, src, from, width31) },
			func(i int) (uint32, bool) {
				q := sum(i)
				if i > 0 {
					q -= sum(i - 1)
				}
				return low[i] + uint32(q<<width31), q<<width31>>32 == 0
			},
		},
		"join": {
			func(dst []uint32) bool { return Join(dst, src, from, width, base) },
			func(i int) (uint32, bool) {
				return base + uint32(i) + uint32(joined(i)), uint32(joined(i)-joined(i-1))>>31 == 0
			},
		},
		"differ": {
			func(dst []uint32) bool { return Differ(dst, src, from, width) },
			func(i int) (uint32, bool) {
				x := int64(joined(i)-joined(i-1)) + 1
				return uint32(x), 1 <= x && x < 1<<32
			},
		},
	} {
		got, wantOK := slices.Clone(low[:n]), len(p) == n
		ok := f.got(got)
		for i := 0; i < n && wantOK; i++ {
			var x uint32
			if x, wantOK = f.want(i); ok && x != got[i] {
				t.Fatalf("%v: %s: element %d is %d, want %d", tier, name, i, got[i], x)
			}
		}
		if ok != wantOK {
			t.Fatalf("%v: %s says %v, want %v", tier, name, ok, wantOK)
		}
	}
}
