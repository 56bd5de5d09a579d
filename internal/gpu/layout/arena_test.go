package layout

import (
	"testing"

	"github.com/pinion-index/pinion/internal/kernels"
	"pgregory.net/rapid"
)

// TestArena allocates ranges and frees them, whole or in part, at random, and compares
// with a map from units to their owners.
func TestArena(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const base, units = kernels.Ptr(1 << 20), 512
		a := NewArena(base, units*grain)
		owner := make([]int, units) // 0: free
		type held struct{ at, n int }
		var live []held
		free := units
		for step := 1; step <= 200; step++ {
			if len(live) == 0 || rapid.IntRange(0, 2).Draw(t, "what") > 0 {
				n := rapid.IntRange(1, 60).Draw(t, "units")
				p, ok := a.Alloc(int64(n*grain - rapid.IntRange(0, grain-1).Draw(t, "less")))
				if !ok {
					if a.Largest() >= int64(n*grain) {
						t.Fatalf("no %d units although %d bytes are in one piece", n, a.Largest())
					}
					continue
				}
				at := int(p-base) / grain
				for i := at; i < at+n; i++ {
					if owner[i] != 0 {
						t.Fatalf("unit %d given twice", i)
					}
					owner[i] = step
				}
				live = append(live, held{at, n})
				free -= n
			} else {
				i := rapid.IntRange(0, len(live)-1).Draw(t, "which")
				h := &live[i]
				n := rapid.IntRange(1, h.n).Draw(t, "part")
				a.Release(base+kernels.Ptr(h.at*grain), int64(n*grain))
				for j := h.at; j < h.at+n; j++ {
					owner[j] = 0
				}
				free += n
				h.at, h.n = h.at+n, h.n-n
				if h.n == 0 {
					live = append(live[:i], live[i+1:]...)
				}
			}
			if a.Free() != int64(free*grain) {
				t.Fatalf("%d bytes free, %d expected", a.Free(), free*grain)
			}
		}
		for _, h := range live {
			a.Release(base+kernels.Ptr(h.at*grain), int64(h.n*grain))
		}
		if a.Largest() != units*grain {
			t.Fatalf("all is free, but the longest range has %d bytes", a.Largest())
		}
	})
}
