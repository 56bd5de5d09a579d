package synthetic

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3000).Draw(t, "n")
		limit := n + rapid.SampledFrom([]int{0, 1, 2, n / 2, 5 * n, 1000 * n, 1 << 28}).Draw(t, "spare")
		seed := rapid.Uint64().Draw(t, "seed")
		for name, draw := range map[string]func(uint64, int, int) []uint32{"uniform": Uniform, "clustered": Clustered} {
			docs := draw(seed, n, limit)
			if len(docs) != n || n > 0 && int(docs[n-1]) >= limit {
				t.Fatalf("%s: %d docIDs of [0, %d), asked for %d", name, len(docs), limit, n)
			}
			for i := 1; i < n; i++ {
				if docs[i] <= docs[i-1] {
					t.Fatalf("%s: element %d is %d, the one before %d", name, i, docs[i], docs[i-1])
				}
			}
			if !slices.Equal(docs, draw(seed, n, limit)) {
				t.Fatalf("%s: the same seed gives another list", name)
			}
		}
		for _, f := range Freqs(seed, n, 100) {
			if f < 1 || f > 100 {
				t.Fatalf("frequency %d", f)
			}
		}
	})
}
