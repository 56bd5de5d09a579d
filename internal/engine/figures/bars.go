package figures

import (
	"math"
	"math/bits"
	"slices"
	"sort"
)

// Error is how far a percentile is at most from the value at its rank, relative to that value.
const Error = 1.0 / (1 << (digits + 1))

// digits is how many bits of the fraction of a float say in which interval it is.
const digits = 7

// Bar is how many values are in an interval, those whose Interval is the same: intervals ascend as values do. They are cut from
// the bits of floats, as those of DDSketch (Masson et al., DDSketch: A Fast and Fully-Mergeable Quantile Sketch with
// Relative-Error Guarantees, section 2.2) are from their logarithms, which differ by platform.
type Bar struct {
	Interval int32
	N        uint64
}

// Interval returns the interval of the key of a float, as package schema has them.
func Interval(key int64) int32 { return int32(key >> (52 - digits)) }

// IntervalOf returns that of an integer. Those of integers below 2^8 have one integer each.
func IntervalOf(x int64) int32 {
	m := uint64(x)
	if x < 0 {
		m = -m
	}
	if n := bits.Len64(m) - 53; n > 0 { // round towards 0, so that no interval changes
		m = m >> n << n
	}
	f := math.Float64bits(float64(m))
	if x < 0 {
		return ^Interval(int64(f))
	}
	return Interval(int64(f))
}

// middle returns what stands for the values of an interval.
func middle(interval int32, whole bool) float64 {
	i := interval
	if i < 0 {
		i = ^i
	}
	from := math.Float64frombits(uint64(i) << (52 - digits))
	to := math.Float64frombits(uint64(i)<<(52-digits) | (1<<(52-digits) - 1))
	if whole {
		from, to = math.Ceil(from), math.Floor(to)
	}
	x := from/2 + to/2
	if i == 0 {
		x = 0
	}
	if interval < 0 {
		return -x
	}
	return x
}

// Percentile returns the value with a rank among those that bars, which ascend, count: the least has rank 1.
func percentile(bars []Bar, rank uint64, whole bool) float64 {
	for _, b := range bars {
		if rank <= b.N {
			return middle(b.Interval, whole)
		}
		rank -= b.N
	}
	return math.Inf(1)
}

// rankOf returns the rank of a percentile among n values, n above 0: ceil(p / 100 * n), 1 at least.
func rankOf(p float64, n uint64) uint64 {
	x := math.Ceil(float64(p*float64(n)) / 100)
	if x >= float64(n) {
		return n
	}
	return max(1, uint64(x))
}

// SortBars sorts bars by interval.
func SortBars(all []Bar) {
	sort.Slice(all, func(i, j int) bool { return all[i].Interval < all[j].Interval })
}

// mergeBars returns the bars of a and b together.
func mergeBars(a, b []Bar) []Bar {
	if len(b) == 0 {
		return a
	}
	all := append(slices.Clone(a), b...)
	SortBars(all)
	kept := all[:0]
	for _, x := range all {
		if n := len(kept); n > 0 && kept[n-1].Interval == x.Interval {
			kept[n-1].N += x.N
		} else {
			kept = append(kept, x)
		}
	}
	return kept
}
