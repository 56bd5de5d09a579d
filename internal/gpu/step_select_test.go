package gpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(68, 69))
	for range 300 {
		keys := make([]uint64, r.IntN(60))
		for i := range keys {
			keys[i] = r.Uint64N(100)
		}
		k := 1 + r.IntN(40)
		want := slices.Clone(keys)
		slices.Sort(want)
		slices.Reverse(want)
		want = want[:min(k, len(want))]
		if got := best(slices.Clone(keys), k); !slices.Equal(got, want) {
			t.Fatalf("the best %d of %v: %v, want %v", k, keys, got, want)
		}
	}
}
