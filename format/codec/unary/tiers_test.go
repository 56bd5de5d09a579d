package unary

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format/codec/simd"
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
		low, p := make([]uint32, MaxOnes), make([]uint32, MaxOnes+Slack)
		width := rapid.UintRange(0, 32).Draw(t, "width")
		for i := range low {
			low[i] = rng.Uint32() & uint32(uint64(1)<<width-1)
		}
		ok := positionsPortable(p[:n+Slack], src, from, n)
		if ok && !slices.Equal(p[:n], ones(src, from)) {
			t.Fatalf("portable positions %v, want %v", p[:n], ones(src, from))
		}
		base := rng.Uint32()
		for _, tier := range simd.Tiers() {
			func() {
				defer simd.SetLevel(tier)()
				q := make([]uint32, n+Slack+1)
				q[n+Slack] = 0xc0ffee
				if got := Positions(q[:n+Slack], src, from, n); got != ok || q[n+Slack] != 0xc0ffee {
					t.Fatalf("%v: positions %v, portable %v", tier, got, ok)
				}
				if !ok {
					return
				}
				if !slices.Equal(q[:n], p[:n]) {
					t.Fatalf("%v: positions %v, portable %v", tier, q[:n], p[:n])
				}
				compare(t, tier, low, p, n, width, base)
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

// compare compares what is made of positions.
func compare(t *rapid.T, tier simd.Tier, low, p []uint32, n int, width uint, base uint32) {
	type result struct {
		name string
		ok   bool
		dst  []uint32
	}
	run := func(portable bool) (out []result) {
		try := func(name string, f func(dst []uint32) bool) {
			dst := slices.Clone(low)
			ok := f(dst)
			out = append(out, result{name, ok, dst[:n]})
		}
		short := min(width, 31)
		if portable {
			try("sums", func(dst []uint32) bool { addSumsPortable(dst, p, n, width); return true })
			try("numbers", func(dst []uint32) bool { return uint64(addNumbersPortable(dst, p, n, short))<<short>>32 == 0 })
			try("join", func(dst []uint32) bool { return joinPortable(dst, p, n, width, base) })
			try("differ", func(dst []uint32) bool { return differPortable(dst, p, n, width) })
			return out
		}
		try("sums", func(dst []uint32) bool { AddSums(dst, p, n, width); return true })
		try("numbers", func(dst []uint32) bool { return AddNumbers(dst, p, n, short) })
		try("join", func(dst []uint32) bool { return Join(dst, p, n, width, base) })
		try("differ", func(dst []uint32) bool { return Differ(dst, p, n, width) })
		return out
	}
	want := run(true)
	for i, got := range run(false) {
		if got.ok != want[i].ok || got.ok && !slices.Equal(got.dst, want[i].dst) {
			t.Fatalf("%v: %s gives %v, %v; portable %v, %v", tier, got.name, got.ok, got.dst, want[i].ok, want[i].dst)
		}
	}
}
