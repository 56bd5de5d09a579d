package algorithm

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSortCandidates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Uint32Range(0, 1<<30).Draw(t, "lo")
		n := rapid.SampledFrom([]int{0, 1, 2, 15, 16, 17, 100, 512, 513, 3000}).Draw(t, "n")
		places := rapid.SliceOfNDistinct(rapid.Uint32Range(0, subWindow-1), n, n, rapid.ID).Draw(t, "places")
		c := candidates{docs: []uint32{7}, sums: []float32{7}}
		for _, p := range places {
			c.add(lo+p, float32(p))
		}
		c.sort(1, lo)
		if c.docs[0] != 7 || len(c.docs) != n+1 || !slices.IsSorted(c.docs[1:]) {
			t.Fatalf("not sorted: %v", c.docs)
		}
		for i, d := range c.docs[1:] {
			if c.sums[1+i] != float32(d-lo) {
				t.Fatalf("document %d has the sum of another", d)
			}
		}
	})
}
