package schema

import (
	"cmp"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// drawFloat draws finite floats, also those that are near each other.
func drawFloat(t *rapid.T, name string) float64 {
	special := []float64{0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1, -1,
		math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.Inf(-1)}
	if rapid.Bool().Draw(t, name+" is special") {
		return rapid.SampledFrom(special).Draw(t, name)
	}
	return rapid.Float64().Draw(t, name)
}

// Keys are ordered as values are, and lead back to them.
func TestKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawFloat(t, "x"), drawFloat(t, "y")
		a, b := FloatValue(1, x).Key(UnitNanosecond), FloatValue(1, y).Key(UnitNanosecond)
		if cmp.Compare(a, b) != cmp.Compare(x, y) {
			t.Fatalf("%v and %v have the keys %d and %d", x, y, a, b)
		}
		if back := KeyValue(2, Float, UnitNanosecond, a); back.Float() != x || back.Field != 2 || back.Float() == 0 && math.Signbit(back.Float()) {
			t.Fatalf("%v became %v", x, back)
		}
		n := rapid.Int64().Draw(t, "n")
		if k := IntegerValue(0, n).Key(UnitSecond); k != n || KeyValue(0, Integer, UnitSecond, k).Int() != n {
			t.Fatalf("%d has key %d", n, k)
		}
		u := Unit(rapid.IntRange(0, 3).Draw(t, "unit"))
		m := rapid.Int64Range(math.MinInt64+1, math.MaxInt64).Draw(t, "m")
		if rapid.Bool().Draw(t, "extreme") {
			m = rapid.SampledFrom([]int64{math.MinInt64 + 1, math.MinInt64 + 2, math.MaxInt64, -1, 0, 1, -1e9, -1e9 - 1}).Draw(t, "m")
		}
		v := NanosValue(3, m)
		floor := v.Floor(u)
		if d := m - floor.Int(); floor.Int() > m || d >= u.Nanoseconds() || floor.Int() != math.MinInt64+1 && floor.Int()%u.Nanoseconds() != 0 || floor.Field != 3 {
			t.Fatalf("%d in %vs is rounded to %d", m, u, floor.Int())
		}
		if floor.Key(u) != v.Key(u) || KeyValue(3, Time, u, v.Key(u)).Int() != floor.Int() {
			t.Fatalf("%d in %vs: key %d, rounded %d", m, u, v.Key(u), floor.Key(u))
		}
		w := NanosValue(3, n)
		if n > math.MinInt64 && (v.Key(u) < w.Key(u) && m >= n || m < n && v.Key(u) > w.Key(u)) {
			t.Fatalf("%d and %d in %vs: keys %d and %d", m, n, u, v.Key(u), w.Key(u))
		}
	})
}

// Keys that no time has become values that are refused.
func TestKeysOfNoTime(t *testing.T) {
	s := &Schema{Fields: []Field{{Name: "t", Kind: Time, Column: true}}}
	for u := UnitNanosecond; u <= UnitSecond; u++ {
		least, most := NanosValue(0, math.MinInt64+1).Key(u), NanosValue(0, math.MaxInt64).Key(u)
		for _, k := range []int64{least, most} {
			if err := s.CheckValue(KeyValue(0, Time, u, k)); err != nil {
				t.Errorf("%d %vs: %v", k, u, err)
			}
		}
		for _, k := range []int64{least - 1, most + 1, math.MinInt64, math.MaxInt64} {
			if err := s.CheckValue(KeyValue(0, Time, u, k)); u != UnitNanosecond && err == nil {
				t.Errorf("%d %vs: no error", k, u)
			}
		}
	}
}

func TestShown(t *testing.T) {
	s := &Schema{Fields: []Field{{Name: "a", Kind: Text}, {Name: "b", Kind: Text, Stored: true}, {Name: "c", Kind: Integer, Column: true}}}
	if got := s.Shown(); !reflect.DeepEqual(got, []string{"b", "c"}) {
		t.Errorf("shown are %v", got)
	}
	if got := (*Schema)(nil).Shown(); got != nil {
		t.Errorf("without a schema %v", got)
	}
}
