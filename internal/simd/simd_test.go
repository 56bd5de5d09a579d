package simd

import "testing"

func TestSetLevel(t *testing.T) {
	if Level() != Best() {
		t.Fatalf("starts at %v, not at %v", Level(), Best())
	}
	restore := SetLevel(Portable)
	if Level() != Portable {
		t.Errorf("lowered to %v", Level())
	}
	restore()
	if Level() != Best() {
		t.Errorf("restored to %v, not %v", Level(), Best())
	}
	defer SetLevel(Tier(99))()
	if Level() != Best() {
		t.Errorf("raised to %v, which the CPU lacks", Level())
	}
}

func TestTiers(t *testing.T) {
	tiers := Tiers()
	if tiers[0] != Portable || tiers[len(tiers)-1] != Best() {
		t.Errorf("tiers are %v, best %v", tiers, Best())
	}
	for _, tier := range append(tiers, Tier(7)) {
		if tier.String() == "" {
			t.Errorf("tier %d has no name", uint32(tier))
		}
	}
}
