package topk

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTopK(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 30, 200, 700}).Draw(t, "n")
		k := rapid.IntRange(1, 150).Draw(t, "k")
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
		var top TopK
		top.Reset(k, 1)
		if rapid.Bool().Draw(t, "delay") {
			top.Delay()
		}
		if n >= k && k > 0 && rapid.Bool().Draw(t, "estimate") {
			top.Raise(want[k-1].Score)
		}
		for i, j := range rapid.Permutation(hits).Draw(t, "order") {
			top.Offer(j.Doc, j.Score)
			if i >= k && top.Theta < 0 {
				t.Fatal("no threshold although k were offered")
			}
		}
		top.Trim()
		if got := Append([]Hit(nil), &top); !slices.Equal(got, want) {
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
		if Key(c.better.Doc, c.better.Score) <= Key(c.worse.Doc, c.worse.Score) {
			t.Errorf("%v is not better than %v", c.better, c.worse)
		}
		if KeyHit(Key(c.better.Doc, c.better.Score)) != c.better {
			t.Errorf("%v does not survive", c.better)
		}
	}
}

// Least is sound: at least k of the numbers reach it, and not many more.
func TestLeastOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom([]int{1, 2, 10, 63, 64, 100}).Draw(t, "k")
		levels := rapid.IntRange(1, 1000).Draw(t, "levels")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var all []float32
		var h Least
		h.Reset(k)
		for range rapid.IntRange(0, 500).Draw(t, "n") {
			v := float32(rng.IntN(levels)) / 8
			all = append(all, v)
			if v > h.Least {
				h.Add(v)
			}
			reach := 0
			for _, x := range all {
				if x >= h.Least {
					reach++
				}
			}
			if len(all) >= k && (h.Least < 0 || reach < k) || len(all) < k && h.Least >= 0 {
				t.Fatalf("%v after %d numbers, which %d reach", h.Least, len(all), reach)
			}
		}
	})
}

func TestSelectAndSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 3, 63, 64, 65, 1500}).Draw(t, "n")
		bits := rapid.IntRange(11, 64).Draw(t, "bits")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		seen := map[uint64]bool{}
		var v []uint64
		for len(v) < n {
			if x := rng.Uint64() >> (64 - bits); !seen[x] {
				seen[x] = true
				v = append(v, x)
			}
		}
		if rapid.Bool().Draw(t, "sorted") {
			slices.Sort(v)
		}
		want := slices.Clone(v)
		slices.Sort(want)
		k := rng.IntN(n) + 1
		selectGreatest(v, k)
		got := slices.Clone(v[:k])
		slices.Sort(got)
		if !slices.Equal(got, want[n-k:]) {
			t.Fatalf("the %d greatest of %v: %v", k, want, got)
		}
		if sortKeys(v, nil); !slices.Equal(v, want) {
			t.Fatalf("sorted %v: %v", want, v)
		}
	})
}
