package reorder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSortByHigh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 32).Draw(t, "width")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		keys := make([]uint64, rapid.SampledFrom([]int{0, 1, 255, 256, 5000}).Draw(t, "n"))
		for i := range keys {
			keys[i] = r.Uint64N(1<<width)<<32 | uint64(i)
		}
		want := slices.Clone(keys)
		slices.SortStableFunc(want, func(a, b uint64) int { return int(a>>32) - int(b>>32) })
		got, _ := sortByHigh(keys, nil, width)
		if !slices.Equal(got, want) {
			t.Fatal("keys are not sorted")
		}
	})
}
