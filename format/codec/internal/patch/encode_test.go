package patch

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEncode compares what an encoder asks of values with counts of their own definition.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, or := drawValues(t)
		v = slices.Clip(slices.Clone(v))
		width := rapid.UintRange(0, 31).Draw(t, "width")
		var positions, overflows []uint32
		var bitmap [2]uint64
		for i, x := range v {
			if x>>width != 0 {
				positions, overflows = append(positions, uint32(i)), append(overflows, x>>width-1)
				bitmap[i/64] |= 1 << (i % 64)
			}
		}
		var h Histogram
		for b := range h.exceed {
			h.exceed[b] = 77 // of a block before
		}
		h.Count(v, or)
		var e taken
		e.bitmap = [2]uint64{1<<64 - 1, 5}
		e.split(v, width)
		if h.max != slices.Max(v) {
			t.Fatalf("greatest %d of %v", h.max, v)
		}
		for b, got := range h.exceed {
			want := uint32(0)
			for _, x := range v {
				if bits.Len32(x) > b {
					want++
				}
			}
			if got != want {
				t.Fatalf("%d values need more than %d bits, not %d", want, b, got)
			}
		}
		n := len(positions)
		if e.bitmap != bitmap || !slices.Equal(e.positions[:n], positions) || !slices.Equal(e.overflows[:n], overflows) {
			t.Fatalf("width %d takes %v, %v, %x out of %v", width, e.positions[:n], e.overflows[:n], e.bitmap, v)
		}
	})
}
