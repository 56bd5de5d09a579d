package gpu

import (
	"math/rand/v2"
	"testing"
)

// TestByPartner checks that places ascend, that plans of one place keep their order, and
// that none is lost.
func TestByPartner(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for _, most := range []int64{0, 1, 4095, 4096, 1 << 40} {
		plans := make([]*plan, 3000)
		for i := range plans {
			plans[i] = &plan{index: i, weight: weight{partner: r.Int64N(most + 1)}}
		}
		sorted := new(scratch).byPartner(plans)
		seen := map[int]bool{}
		for i, p := range sorted {
			seen[p.index] = true
			if i == 0 {
				continue
			}
			q := sorted[i-1]
			a, b := q.weight.partner, p.weight.partner
			if a > b && (most < 4096 || a-b > most/2048) || a == b && q.index > p.index {
				t.Fatalf("up to %d: %d at place %d stands before %d at %d", most, q.index, a, p.index, b)
			}
		}
		if len(seen) != len(plans) {
			t.Fatalf("up to %d: %d of %d plans", most, len(seen), len(plans))
		}
	}
}
