package algorithm

import (
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/engine/bitset"
)

// Bitmaps, and all documents, give those of a range, wherever it begins and ends.
func TestMatchDocs(t *testing.T) {
	words := make([]uint64, 4)
	var all []uint32
	for d := uint32(3); d < 256; d += 1 + d%7 {
		all = append(all, d)
	}
	bitset.Add(words, 0, all)
	for lo := uint32(0); lo < 300; lo += 9 {
		for hi := lo; hi < 330; hi += 13 {
			m := &Matcher{at: lo}
			want := []uint32{7}
			for _, d := range all {
				if lo <= d && d < hi {
					want = append(want, d)
				}
			}
			if got := (&matchWords{words: words}).docs(m, []uint32{7}, hi); !slices.Equal(got, want) {
				t.Fatalf("%d to %d: %v, want %v", lo, hi, got, want)
			}
			got := matchAll{}.docs(m, nil, hi)
			if len(got) != int(hi-lo) || len(got) > 0 && (got[0] != lo || got[len(got)-1] != hi-1) {
				t.Fatalf("all from %d to %d: %v", lo, hi, got)
			}
		}
	}
}
