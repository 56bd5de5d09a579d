package columns

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/schema"
)

// A bound of a range of values is not below what any of them scores, and codes bound floats from both sides.
func TestCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Curve{Shape: Shape(rapid.IntRange(0, 3).Draw(t, "shape")), Float: rapid.Bool().Draw(t, "float")}
		c.Scale = rapid.OneOf(rapid.Float64Range(1e-9, 1e9), rapid.Just(1e300), rapid.Just(math.SmallestNonzeroFloat64)).Draw(t, "scale")
		weight := rapid.SampledFrom([]float64{1, 0.1, 1e6}).Draw(t, "weight")
		key := rapid.Custom(func(t *rapid.T) int64 {
			if c.Float {
				x := rapid.OneOf(rapid.Float64Range(0, 1e12), rapid.Float64Range(0, 2)).Draw(t, "value")
				return schema.FloatValue(0, x).Key(schema.UnitNanosecond)
			}
			return rapid.OneOf(rapid.Int64Range(0, math.MaxInt64), rapid.Int64Range(0, 9)).Draw(t, "value")
		})
		if c.Shape == Decay && !c.Float {
			key = rapid.Int64()
		}
		c.From = key.Draw(t, "from")
		a, b, x := key.Draw(t, "a"), key.Draw(t, "b"), key.Draw(t, "x")
		lo, hi := min(a, b, x), max(a, b, x)
		s := Static{weight: weight, curve: c}
		got := float32(weight * c.of(x))
		if !(got >= 0) || got > s.bound(lo, hi) {
			t.Fatalf("%+v: %d scores %v, the bound from %d to %d is %v", c, x, got, lo, hi, s.bound(lo, hi))
		}
		if c.Ranked() {
			code := code(c.number(x))
			if got > s.scoreOf(code) || got < s.CodeLeast(code) {
				t.Fatalf("%+v: %v scores %v, by its code from %v to %v", c, c.number(x), got, s.CodeLeast(code), s.scoreOf(code))
			}
		}
	})
}

// Curves count what their formulas say.
func TestCurveOf(t *testing.T) {
	key := func(x float64) int64 { return schema.FloatValue(0, x).Key(schema.UnitNanosecond) }
	for _, c := range []struct {
		c    Curve
		key  int64
		want float64
	}{
		{Curve{Float: true}, key(3), 3}, {Curve{Shape: Saturation, Scale: 10}, 10, 0.5}, {Curve{Shape: Saturation, Scale: 10, Float: true}, key(30), 0.75},
		{Curve{Shape: Saturation, Scale: 1}, 0, 0}, {Curve{Shape: Logarithm, Scale: 2}, 0, 0}, {Curve{Shape: Logarithm, Scale: 1, Float: true}, key(math.E - 1), 1},
		{Curve{Shape: Decay, Scale: 7, From: 100}, 100, 1}, {Curve{Shape: Decay, Scale: 7, From: 100}, 107, 0.5}, {Curve{Shape: Decay, Scale: 7, From: 100}, 93, 0.5},
		{Curve{Shape: Decay, Scale: 1, From: math.MinInt64}, math.MaxInt64, 1 / (1 + math.Ldexp(1, 64))}, {Curve{Shape: Decay, Scale: 0.5, From: key(-1), Float: true}, key(0.5), 0.25},
	} {
		if got := c.c.of(c.key); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v of %d is %v, want %v", c.c, c.key, got, c.want)
		}
	}
	if got := (&Curve{Shape: Decay, Scale: 1, From: 10}).best([]int64{-5, 9, 30}); got != 0.5 {
		t.Errorf("the nearest of several counts %v", got)
	}
}
