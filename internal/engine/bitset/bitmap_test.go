package bitset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBitmapTwins compares the implementation of this build with the portable one, including docIDs
// before and after the bitmap.
func TestBitmapTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		words, lo := 1+rng.IntN(8), uint32(rng.IntN(1000))
		draw := func() []uint32 {
			docs := make([]uint32, rng.IntN(200))
			for i := range docs {
				docs[i] = uint32(rng.IntN(1000 + 70*words))
			}
			slices.Sort(docs)
			return slices.Compact(docs)
		}
		set, want := make([]uint64, words), make([]uint64, words)
		docs := draw()
		addDocs(set, lo, docs)
		for _, d := range docs {
			if lo <= d && d < lo+uint32(64*words) {
				want[(d-lo)/64] |= 1 << ((d - lo) % 64)
			}
		}
		if !slices.Equal(set, want) {
			t.Fatalf("bits from %d of %v: %x, want %x", lo, docs, set, want)
		}
		docs = draw()
		found, wantFound := make([]uint16, len(docs)), make([]uint16, len(docs))
		n, m := matchDocs(set, lo, docs, found), matchPortable(set, lo, docs, wantFound)
		if n != m || !slices.Equal(found[:n], wantFound[:m]) {
			t.Fatalf("matches from %d of %v: %v, portable %v", lo, docs, found[:n], wantFound[:m])
		}
	}
}

// A set is empty after its members are removed, be they few or many.
func TestBitmapRemove(t *testing.T) {
	var b Set
	for _, step := range []int{1, 63, 64, 300} {
		var docs []uint32
		for d := 70; d < 5000; d += step {
			docs = append(docs, uint32(d))
		}
		b.Reset(docs[0], docs[len(docs)-1])
		b.Add(docs)
		if got := b.Match(docs); len(got) != len(docs) {
			t.Fatalf("step %d: %d members of %d", step, len(got), len(docs))
		}
		b.Remove(docs)
		if b.used != 0 || slices.ContainsFunc(b.words, func(w uint64) bool { return w != 0 }) {
			t.Errorf("step %d: not empty: %x", step, b.words)
		}
	}
}
