package figures

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/schema"
)

// floats draws floats of all magnitudes, often of a few.
func floats() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64Range(-1000, 1000),
		rapid.Custom(func(t *rapid.T) float64 {
			for {
				if x := math.Float64frombits(rapid.Uint64().Draw(t, "bits")); !math.IsNaN(x) && !math.IsInf(x, 0) {
					return x
				}
			}
		}),
		rapid.SampledFrom([]float64{0, 1, -1, 0.1, 5e-324, -5e-324, 2.2250738585072014e-308, math.MaxFloat64 / 4, -math.MaxFloat64 / 4, 1 << 53, 1<<53 + 2}),
	)
}

// float returns the float nearest to x, of which the last bits may be below those of a big.Float.
func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// Sums and means are those of rational numbers, rounded once, however they are added up.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]int{0, Unit}).Draw(t, "unit")
		var sums []Sum
		for range rapid.IntRange(1, 4).Draw(t, "sums") {
			sums = append(sums, Sum{})
		}
		want := new(big.Rat)
		n := rapid.IntRange(0, 50).Draw(t, "n")
		for range n {
			s := &sums[rapid.IntRange(0, len(sums)-1).Draw(t, "which")]
			if unit == 0 {
				x := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, -1, 0})).Draw(t, "integer")
				s.AddInteger(x)
				want.Add(want, new(big.Rat).SetInt64(x))
			} else {
				x := floats().Draw(t, "float")
				s.AddFloat(x)
				want.Add(want, new(big.Rat).SetFloat64(x))
			}
		}
		for i := len(sums) - 1; i > 0; i-- {
			sums[i-1].Merge(&sums[i])
		}
		s := &sums[0]
		if got := s.Float(unit); got != float(want) {
			t.Fatalf("%v, want %v", got, float(want))
		}
		by := rapid.SliceOfN(rapid.Uint64Min(1), 1, 2).Draw(t, "by")
		mean := new(big.Rat).Set(want)
		for _, x := range by {
			mean.Quo(mean, new(big.Rat).SetInt(new(big.Int).SetUint64(x)))
		}
		if got := s.Mean(unit, by...); got != float(mean) {
			t.Fatalf("over %v: %v, want %v", by, got, float(mean))
		}
		if got := s.Float(unit); got != float(want) {
			t.Fatalf("after Mean: %v, want %v", got, float(want))
		}
	})
}

func TestSumBeyond(t *testing.T) {
	var s Sum
	s.AddFloat(math.MaxFloat64)
	s.AddFloat(math.MaxFloat64)
	if got := s.Float(Unit); !math.IsInf(got, 1) {
		t.Errorf("%v", got)
	}
	if got := s.Mean(Unit, 2); got != math.MaxFloat64 {
		t.Errorf("mean %v", got)
	}
}

// A percentile is as near to the value at its rank as Error says.
func TestPercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Bool().Draw(t, "whole")
		var keys []int64
		for range rapid.IntRange(1, 60).Draw(t, "n") {
			if whole {
				keys = append(keys, rapid.OneOf(rapid.Int64(), rapid.Int64Range(-300, 300)).Draw(t, "x"))
			} else {
				keys = append(keys, schema.FloatKey(floats().Draw(t, "x")))
			}
		}
		slices.Sort(keys)
		value := func(key int64) float64 {
			if whole {
				return float64(key)
			}
			return schema.KeyFloat(key)
		}
		var parts [2]State
		for i, k := range keys {
			s := &parts[rapid.IntRange(0, 1).Draw(t, "part")]
			interval := Interval(k)
			if whole {
				interval = IntervalOf(k)
			}
			one := State{N: 1, Min: k, Max: k, Bars: []Bar{{interval, 1}}}
			if !s.Merge(&one) {
				t.Fatal(i)
			}
		}
		s := &parts[0]
		s.Merge(&parts[1])
		p := rapid.OneOf(rapid.Float64Range(0, 100), rapid.SampledFrom([]float64{0, 50, 99, 100})).Draw(t, "p")
		rank := max(1, int(math.Ceil(p*float64(len(keys))/100)))
		want := value(keys[min(rank, len(keys))-1])
		got := s.Percentile(p, whole, value(s.Min), value(s.Max))
		switch off := math.Abs(got/2 - want/2); {
		case off <= Error*math.Abs(want/2), math.Abs(want) < 3e-308 && off < 1e-310:
		default:
			t.Fatalf("%v %% of %v: %v, want %v", p, keys, got, want)
		}
		if whole && math.Abs(want) < 256 && got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// What Append writes is read again, and other bytes are refused or are a State that is used without harm.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := State{N: uint64(rapid.IntRange(0, 1000).Draw(t, "n"))}
		if s.N > 0 {
			s.Kind, s.Unit = uint8(rapid.IntRange(0, 9).Draw(t, "kind")), 1
			s.Min, s.Max = -5, rapid.Int64Min(-5).Draw(t, "max")
			for range rapid.IntRange(0, 3).Draw(t, "addends") {
				s.Sum.AddFloat(floats().Draw(t, "x"))
			}
			if rapid.Bool().Draw(t, "bars") {
				s.Bars = []Bar{{math.MinInt32, s.N}}
			}
			numbers := rapid.SliceOfNDistinct(rapid.Int64(), 0, min(5, int(s.N)), func(x int64) int64 { return x }).Draw(t, "numbers")
			slices.Sort(numbers)
			s.Numbers = append(s.Numbers, numbers...)
			s.Distinct = uint64(len(numbers))
		}
		b := s.Append(nil)
		var got State
		if err := got.Decode(b); err != nil || string(got.Append(nil)) != string(b) || got.Sum.Float(Unit) != s.Sum.Float(Unit) || got.Distinct != s.Distinct {
			t.Fatalf("%+v: %+v, %v", s, got, err)
		}
		if err := got.Decode(append(b, 0)); err == nil {
			t.Fatal("with a byte behind it")
		}
		if err := got.Decode(b[:len(b)-1]); err == nil {
			t.Fatal("cut short")
		}
	})
}

func FuzzDecode(x *testing.F) {
	f := fuzzing.New(x)
	s := State{N: 3, Kind: 4, Min: 1, Max: 9, Bars: []Bar{{5, 1}, {9, 2}}, Numbers: []int64{1, 9}, Distinct: 2}
	s.Sum.AddFloat(0.1)
	f.Add(s.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s State
		if s.Decode(b) != nil {
			return
		}
		o := s
		s.Sum = Sum{slices.Clone(s.Sum.words), s.Sum.low}
		s.Merge(&o)
		s.Sum.Float(Unit)
		if s.N > 0 {
			s.Sum.Mean(Unit, s.N)
			s.Percentile(50, false, 1, 2)
		}
		if err := s.Decode(o.Append(nil)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Pairs
		want := map[Pair]uint32{}
		for range rapid.IntRange(0, 300).Draw(t, "n") {
			x := Pair{uint32(rapid.IntRange(0, 3).Draw(t, "slot")), rapid.Int64Range(-20, 20).Draw(t, "number")}
			if _, ok := want[x]; !ok {
				want[x] = uint32(len(want))
			}
			if got := p.Add(x.Slot, x.Number); got != want[x] || p.All[got] != x {
				t.Fatalf("%v is %d, want %d", x, got, want[x])
			}
		}
	})
}
