package docset

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Bits have what was added to them.
func TestBits(t *testing.T) {
	var none *Bits
	if none.Len() != 0 || none.Contains(1) || none.Set().Len() != 0 {
		t.Fatal("no bits have members")
	}
	rapid.Check(t, func(t *rapid.T) {
		want, b := map[uint32]bool{}, &Bits{}
		for range rapid.IntRange(0, 40).Draw(t, "adds") {
			doc := rapid.Uint32Range(0, 500).Draw(t, "doc")
			if rapid.IntRange(0, 5).Draw(t, "what") == 0 {
				b.AddSet(Range(doc, doc+70))
				for d := range uint32(70) {
					want[doc+d] = true
				}
				continue
			}
			if b.Add(doc) == want[doc] {
				t.Fatalf("Add(%d) of %v", doc, want)
			}
			want[doc] = true
		}
		docs := slices.Sorted(maps.Keys(want))
		if got := slices.Collect(b.All()); !slices.Equal(got, docs) || int(b.Len()) != len(docs) {
			t.Fatalf("%v, want %v", got, docs)
		}
		for doc := range uint32(700) {
			if b.Contains(doc) != want[doc] {
				t.Fatalf("Contains(%d)", doc)
			}
		}
		shuffled := append(append(slices.Clone(docs), End), docs...)
		slices.Reverse(shuffled)
		if got := slices.Collect(Of(shuffled...).All()); !slices.Equal(got, docs) {
			t.Fatalf("Of: %v, want %v", got, docs)
		}
	})
}
