package search_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/search"
)

// TestArena checks that what an Arena returns for one call does not overlap and is empty, whatever
// earlier calls left there.
func TestArena(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := new(search.Arena)
		if rapid.Bool().Draw(t, "nil") {
			a = nil
		}
		for range rapid.IntRange(1, 5).Draw(t, "calls") {
			sizes := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 8).Draw(t, "sizes")
			results := a.Results(len(sizes))
			if len(results) != len(sizes) {
				t.Fatalf("%d results, want %d", len(results), len(sizes))
			}
			for i, r := range results {
				if r.Hits != nil {
					t.Fatalf("result %d has hits before it was answered", i)
				}
			}
			var group sync.WaitGroup
			for i, n := range sizes {
				group.Go(func() {
					hits := a.Hits(n)
					for range n {
						hits = append(hits, search.Hit{Doc: uint32(i)})
					}
					results[i].Hits = hits
				})
			}
			group.Wait()
			for i, n := range sizes {
				other := func(h search.Hit) bool { return h.Doc != uint32(i) }
				if got := results[i].Hits; len(got) != n || slices.ContainsFunc(got, other) {
					t.Fatalf("result %d of %v was overwritten: %v", i, sizes, got)
				}
			}
		}
	})
}

// TestArenaAllocates checks that calls allocate nothing once there was one with as many hits, in whatever
// order these are asked for.
func TestArenaAllocates(t *testing.T) {
	var a search.Arena
	rng := rand.New(rand.NewPCG(1, 1))
	sizes := []int{10_000, 1, 10, 5_000, 100}
	call := func() {
		rng.Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
		a.Results(1000)
		for _, n := range sizes {
			a.Hits(n)
		}
	}
	call()
	call()
	if n := testing.AllocsPerRun(100, call); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}
