package sums

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/simd"
)

// Sums are those of a map, on every tier of instructions, and above a threshold are those that are.
func TestSums(t *testing.T) {
	s := new(Sums)
	rapid.Check(t, func(t *rapid.T) {
		defer simd.SetLevel(simd.Tier(rapid.IntRange(0, int(simd.Best())).Draw(t, "tier")))()
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		window := rapid.Uint32Range(0, 3).Draw(t, "window") * Window
		want := map[uint32]uint32{}
		for range rapid.IntRange(0, 4).Draw(t, "lists") {
			var docs, weights []uint32
			by := r.Uint32N(1 << 14)
			for range rapid.IntRange(0, 40).Draw(t, "postings") {
				docs, weights = append(docs, window+r.Uint32N(Window)), append(weights, r.Uint32N(256))
			}
			slices.Sort(docs)
			for i, d := range docs {
				want[d] += weights[i] * by
			}
			s.Add(docs, weights, by)
		}
		lo := window + rapid.Uint32Range(0, Window-1).Draw(t, "lo")
		hi := rapid.Uint32Range(lo+1, window+Window).Draw(t, "hi")
		pass := rapid.SampledFrom([]uint32{0, 1000, 500_000, 1<<31 - 1}).Draw(t, "pass")
		first, words := s.Above(lo, hi, pass)
		if last := first + uint32(64*len(words)); first > lo || last < hi || last > window+Window {
			t.Fatalf("bits for %d up to %d of %d up to %d", first, last, lo, hi)
		}
		for i := range 64 * uint32(len(words)) {
			doc := first + i
			if s.Of(doc) != want[doc] {
				t.Fatalf("the sum of %d is %d, want %d", doc, s.Of(doc), want[doc])
			}
			if is := words[i/64]>>(i%64)&1 != 0; is != (doc >= lo && doc < hi && want[doc] > pass) {
				t.Fatalf("document %d from %d up to %d with sum %d is above %d: %v", doc, lo, hi, want[doc], pass, is)
			}
		}
		s.Clear(lo, hi)
		for doc, sum := range want {
			if doc >= lo && doc < hi {
				sum = 0
			}
			if s.Of(doc) != sum {
				t.Fatalf("after clearing %d up to %d the sum of %d is %d, want %d", lo, hi, doc, s.Of(doc), sum)
			}
		}
		s.ClearAll()
	})
}
