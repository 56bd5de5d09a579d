package query

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTopK(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		k := rapid.IntRange(1, 60).Draw(t, "k")
		hits := make([]Hit, n)
		for i := range hits {
			hits[i] = Hit{Doc: uint32(i), Score: float32(rapid.IntRange(0, 12).Draw(t, "score")) / 4}
		}
		want := slices.Clone(hits)
		slices.SortFunc(want, func(a, b Hit) int {
			switch {
			case a.Score > b.Score || a.Score == b.Score && a.Doc < b.Doc:
				return -1
			default:
				return 1
			}
		})
		want = want[:min(k, n)]
		var top topK
		top.reset(k, 1)
		if n >= k && k > 0 && rapid.Bool().Draw(t, "estimate") {
			top.raise(want[k-1].Score)
		}
		for i, j := range rapid.Permutation(hits).Draw(t, "order") {
			top.offer(j.Doc, j.Score)
			if i >= k && top.theta < 0 {
				t.Fatal("no threshold although k were offered")
			}
		}
		if got := top.appendHits(nil); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestHitKeyOrder(t *testing.T) {
	for _, c := range []struct{ better, worse Hit }{
		{Hit{0, 1}, Hit{1, 1}},
		{Hit{5, 2}, Hit{0, 1}},
		{Hit{0, 0}, Hit{1<<31 - 1, 0}},
	} {
		if hitKey(c.better.Doc, c.better.Score) <= hitKey(c.worse.Doc, c.worse.Score) {
			t.Errorf("%v is not better than %v", c.better, c.worse)
		}
		if keyHit(hitKey(c.better.Doc, c.better.Score)) != c.better {
			t.Errorf("%v does not survive", c.better)
		}
	}
}
