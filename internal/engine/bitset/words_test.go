package bitset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn draws documents below n, in ascending order.
func drawn(rng *rand.Rand, n int) []uint32 {
	in := map[uint32]bool{}
	for range rng.IntN(n) >> rng.IntN(8) {
		in[uint32(rng.IntN(n))] = true
	}
	var docs []uint32
	for d := range in {
		docs = append(docs, d)
	}
	slices.Sort(docs)
	return docs
}

// where returns which documents below n f has.
func where(n int, f func(d uint32) bool) []uint32 {
	docs := []uint32{}
	for d := range uint32(n) {
		if f(d) {
			docs = append(docs, d)
		}
	}
	return docs
}

// Every operation on bitmaps and on documents in order gives the set that it says, also if one of the bitmaps is
// shorter than the other.
func TestWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		n := 64 * (1 + rng.IntN(6))
		a, b := drawn(rng, n), drawn(rng, n)
		words := func(docs []uint32, short bool) []uint64 {
			w := make([]uint64, n/64)
			Add(w, 0, docs)
			for short && len(w) > 0 && w[len(w)-1] == 0 {
				w = w[:len(w)-1]
			}
			return w
		}
		inA := func(d uint32) bool { return slices.Contains(a, d) }
		inB := func(d uint32) bool { return slices.Contains(b, d) }
		and := where(n, func(d uint32) bool { return inA(d) && inB(d) })
		or := where(n, func(d uint32) bool { return inA(d) || inB(d) })
		not := where(n, func(d uint32) bool { return inA(d) && !inB(d) })
		for what, c := range map[string]struct {
			f    func(dst, b []uint64)
			want []uint32
		}{
			"Copy":   {Copy, b},
			"Or":     {Or, or},
			"And":    {And, and},
			"AndNot": {AndNot, not},
		} {
			dst := words(a, false)
			c.f(dst, words(b, rng.IntN(2) == 0))
			if got := AppendDocs(nil, dst, 0); !slices.Equal(got, c.want) || Count(dst) != len(c.want) {
				t.Fatalf("%s of %v and %v: %v, want %v", what, a, b, got, c.want)
			}
		}
		lo := uint32(64 * rng.IntN(3))
		if n, want := Members(words(b, true), lo, a), len(where(n, func(d uint32) bool { return inA(d) && d >= lo && inB(d-lo) })); n != want {
			t.Fatalf("members of %v from %d among %v: %d, want %d", b, lo, a, n, want)
		}
		for what, c := range map[string]struct{ got, want []uint32 }{
			"Keep":     {Keep(slices.Clone(a), words(b, true), 0, false), and},
			"Keep not": {Keep(slices.Clone(a), words(b, true), 0, true), not},
			"Keep at":  {Keep(slices.Clone(a), words(b, true), lo, false), where(n, func(d uint32) bool { return inA(d) && d >= lo && inB(d-lo) })},
			"Subtract": {Subtract(slices.Clone(a), and), not},
			"Merge":    {Merge(nil, a, b), or},
		} {
			if !slices.Equal(c.got, c.want) {
				t.Fatalf("%s of %v and %v: %v, want %v", what, a, b, c.got, c.want)
			}
		}
	}
}
