package layout

import "testing"

// TestGroups checks that groups cover all parts, in order, within the bound unless they
// have one query.
func TestGroups(t *testing.T) {
	parts := []Part{{0, 5}, {0, 9000}, {1, 100}, {2, 100}, {2, 7}, {3, 1 << 20}, {4, 1}}
	for _, bound := range []int64{0, 1, 800, 1 << 16, 1 << 30} {
		at := 0
		for i, g := range Groups(parts, bound) {
			if g.Part != at || g.Parts < 1 || g.Query != parts[at].Query {
				t.Fatalf("bound %d: group %d is %+v", bound, i, g)
			}
			var bytes int64
			ranges, queries := 0, map[int]bool{}
			for _, p := range parts[at : at+g.Parts] {
				bytes += p.Bytes()
				ranges += g.RangesOf(p)
				queries[p.Query] = true
			}
			if bytes != g.Bytes || ranges != g.Ranges || len(queries) != g.Queries || bytes > bound && g.Queries > 1 {
				t.Errorf("bound %d: group %d is %+v: %d bytes, %d ranges", bound, i, g, bytes, ranges)
			}
			at += g.Parts
		}
		if at != len(parts) {
			t.Errorf("bound %d: %d of %d parts", bound, at, len(parts))
		}
	}
}
