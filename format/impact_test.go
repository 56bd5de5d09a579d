package format

import (
	"math"
	"sort"
	"testing"
)

// specified is FORMAT.md's formula for the value of an impact code.
func specified(c int) uint64 {
	if c < 32 {
		return uint64(c)
	}
	return uint64(16+(c-32)%16) << ((c-32)/16 + 1)
}

func TestImpactCodesExhaustively(t *testing.T) {
	for c := range 256 {
		v := specified(c)
		if c > 0 && v <= specified(c-1) {
			t.Fatalf("code %d does not rise", c)
		}
		if uint64(DecodeLen(uint8(c))) != v {
			t.Fatalf("DecodeLen(%d) = %d, want %d", c, DecodeLen(uint8(c)), v)
		}
		if want := v; c < 255 && uint64(DecodeTF(uint8(c))) != want {
			t.Fatalf("DecodeTF(%d) = %d, want %d", c, DecodeTF(uint8(c)), want)
		}
	}
	if DecodeTF(255) != InfiniteTF || specified(255) != MaxImpactLen {
		t.Fatal("code 255")
	}
	check := func(v uint32) {
		// The three roundings, each against the definition.
		least := sort.Search(255, func(c int) bool { return specified(c) >= uint64(v) }) // 255: none below it
		greatest := sort.Search(256, func(c int) bool { return specified(c) > uint64(v) }) - 1
		if got := EncodeTF(v); int(got) != least {
			t.Fatalf("EncodeTF(%d) = %d, want %d", v, got, least)
		}
		if got := EncodeLen(v); int(got) != greatest {
			t.Fatalf("EncodeLen(%d) = %d, want %d", v, got, greatest)
		}
		ceil := sort.Search(256, func(c int) bool { return specified(c) >= uint64(v) })
		if got, ok := CeilLen(v); ok != (ceil < 256) || ok && int(got) != ceil {
			t.Fatalf("CeilLen(%d) = %d %v, want %d", v, got, ok, ceil)
		}
	}
	for v := range uint32(MaxImpactLen + 5000) {
		check(v)
	}
	for v := uint32(1); v != 0; v <<= 1 {
		check(v - 1)
		check(v)
		check(v + 1)
	}
	check(math.MaxUint32)
}
