package ao

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestWays compares all search algorithms with a scan.
func TestWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := rapid.SliceOfNDistinct(rapid.OneOf(rapid.Uint32Max(200), rapid.Uint32Max(5000), rapid.Uint32Max(1<<30)), 1, 600, rapid.ID[uint32]).Draw(t, "docs")
		slices.Sort(docs)
		asked := append(slices.Clone(docs), rapid.SliceOf(rapid.OneOf(rapid.Uint32Max(5000), rapid.Uint32Max(1<<30))).Draw(t, "asked")...)
		slices.Sort(asked)
		asked = slices.Compact(asked)
		for _, w := range ways() {
			s := w.make(docs)
			for _, x := range asked {
				if got, _ := s.has(x); got != slices.Contains(docs, x) {
					t.Fatalf("%s: %d is in the list: %v", w.name, x, got)
				}
			}
		}
		if got := newSkipping(docs).keep(slices.Clone(asked)); !slices.Equal(got, docs) {
			t.Fatalf("skip list: %d of %d docIDs", len(got), len(docs))
		}
	})
}
