package unary

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/simd"
)

// TestTiers compares every tier with the portable code on bits that may be anything.
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
		var p positions
		if p.read(src, from, n) && !slices.Equal(p[:n], ones(src, from)) {
			t.Fatalf("positions %v, want %v", p[:n], ones(src, from))
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

// compare compares all that is made of a unary part.
func compare(t *rapid.T, tier simd.Tier, low []uint32, n int, src []byte, from, width uint, base uint32) {
	for name, f := range map[string][2]func(dst []uint32) bool{
		"sums": {
			func(dst []uint32) bool { return AddSums(dst, n, src, from, width) },
			func(dst []uint32) bool { return addSumsPortable(dst, n, src, from, width) },
		},
		"numbers": {
			func(dst []uint32) bool { return AddNumbers(dst, n, src, from, min(width, 31)) },
			func(dst []uint32) bool { return addNumbersPortable(dst, n, src, from, min(width, 31)) },
		},
		"join": {
			func(dst []uint32) bool { return Join(dst, n, src, from, width, base) },
			func(dst []uint32) bool { return joinPortable(dst, n, src, from, width, base) },
		},
		"differ": {
			func(dst []uint32) bool { return Differ(dst, n, src, from, width) },
			func(dst []uint32) bool { return differPortable(dst, n, src, from, width) },
		},
	} {
		got, want := slices.Clone(low), slices.Clone(low)
		ok, wantOK := f[0](got), f[1](want)
		if ok != wantOK || ok && !slices.Equal(got[:n], want[:n]) {
			t.Fatalf("%v: %s gives %v, %v; portable %v, %v", tier, name, got[:n], ok, want[:n], wantOK)
		}
	}
}
