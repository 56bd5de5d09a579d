package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/simd"
)

// Every float16 is the float32 of its value, and becomes itself again, on all tiers.
func TestWiden(t *testing.T) {
	all := make([]uint16, 1<<16)
	for i := range all {
		all[i] = uint16(i)
	}
	for _, tier := range simd.Tiers() {
		restore := simd.SetLevel(tier)
		got, back := make([]float32, len(all)), make([]uint16, len(all))
		Widen(got, all)
		Narrow(back, got)
		restore()
		for i, h := range all {
			exponent, fraction := int(h>>10&31), float64(h&1023)
			want := math.Ldexp(1024+fraction, exponent-25)
			switch {
			case exponent == 0:
				want = math.Ldexp(fraction, -24)
			case exponent == 31 && fraction == 0:
				want = math.Inf(1)
			case exponent == 31:
				want = math.NaN()
			}
			if x := got[i]; want != want {
				bits, sign := math.Float32bits(x), uint32(h>>15)<<31
				if x == x || bits != 0x7fc00000|sign|uint32(h&1023)<<13 || back[i] != h|0x200 {
					t.Fatalf("%v: %04x is %08x, and %04x again", tier, h, bits, back[i])
				}
			} else if math.Float32bits(x) != math.Float32bits(float32(math.Copysign(want, -float64(h>>15)+0.5))) || back[i] != h {
				t.Fatalf("%v: %04x is %v, want %v, and %04x again", tier, h, x, want, back[i])
			}
		}
	}
}

// A float32 becomes the float16 that is nearest, of two as near the even one, on all tiers.
func TestNarrow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []float32{0, 65504, 65519.996, 65520, -65520, 1e30, -1e-30, 0x1p-25, 0x1.000002p-25, float32(math.Inf(1)), 0x1p-149}
	for range 100_000 {
		values = append(values, math.Float32frombits(r.Uint32()), float32(math.Ldexp(r.NormFloat64(), r.IntN(50)-30)))
	}
	for h := range uint16(0x7c00) { // halves between neighbors, and beside them
		x := float32((asFloat(h) + asFloat(h+1)) / 2)
		values = append(values, x, math.Nextafter32(x, 0), -math.Nextafter32(x, 1e9))
	}
	values = slices.DeleteFunc(values, func(x float32) bool { return x != x })
	want := make([]uint16, len(values))
	for i, x := range values {
		m := math.Abs(float64(x))
		h := uint16(0)
		for step := uint16(1 << 14); step > 0; step /= 2 { // the greatest that is not above m
			if h+step <= 0x7bff && asFloat(h+step) <= m {
				h += step
			}
		}
		if below, above := m-asFloat(h), asFloat(h+1)-m; above < below || above == below && h&1 == 1 {
			h++
		}
		if want[i] = h; math.Signbit(float64(x)) {
			want[i] |= 1 << 15
		}
	}
	for _, tier := range simd.Tiers() {
		restore, got := simd.SetLevel(tier), make([]uint16, len(values))
		Narrow(got, values)
		restore()
		for i, x := range values {
			if got[i] != want[i] {
				t.Fatalf("%v: %v is %04x, want %04x", tier, x, got[i], want[i])
			}
		}
	}
}

// asFloat returns the value of a float16 that is not negative; what is infinite is the next after the greatest.
func asFloat(h uint16) float64 {
	if exponent := int(h >> 10); exponent > 0 {
		return math.Ldexp(1024+float64(h&1023), exponent-25)
	}
	return math.Ldexp(float64(h), -24)
}
