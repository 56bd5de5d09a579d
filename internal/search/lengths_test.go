package search

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/querytest"
)

// AppendLengths gives what a count of the documents does, also of terms that are in none, whether the
// cache has the terms or not.
func TestAppendLengths(t *testing.T) {
	docs := querytest.ZipfDocs(rand.New(rand.NewPCG(8, 9)), 900, 60, 12)
	deleted := map[int]bool{4: true, 500: true, 899: true}
	holding := map[string]uint64{"absent": 0}
	for d, words := range docs {
		words = slices.Clone(words)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			if !deleted[d] {
				holding[w]++
			}
		}
	}
	c, _ := registry.ByName("bp128")
	s := searcherOver(t, querytest.Parts(t, docs, deleted, c, 300), Options{})
	words := slices.Sorted(maps.Keys(holding))
	words = append(words, words[:3]...)
	for range 2 {
		lengths, err := s.AppendLengths([]uint64{7}, querytest.Terms(words...))
		if err != nil || len(lengths) != 1+len(words) || lengths[0] != 7 {
			t.Fatalf("%d lengths, %v", len(lengths), err)
		}
		for i, w := range words {
			if lengths[1+i] != holding[w] {
				t.Errorf("%s: %d, want %d", w, lengths[1+i], holding[w])
			}
		}
	}
}
