package figures

import (
	"cmp"
	"math"
	"slices"
)

// State is what is known of some values.
type State struct {
	Kind, Unit uint8 // of the field, as package schema has them; mean nothing if N is 0
	N          uint64
	Min, Max   int64 // keys of numbers; mean nothing if N is 0, and for keywords
	Sum        Sum   // of numbers: integers, or floats in Unit
	Bars       []Bar // if percentiles are wanted; they ascend
	// Distinct is how many values are distinct, if that is wanted. Numbers or Words are these, ascending, if the state is to be merged.
	Distinct uint64
	Numbers  []int64
	Words    []string
}

// Merge adds what is known of other values, and returns false if these are of another kind or unit. What o has is not changed.
func (s *State) Merge(o *State) bool {
	switch {
	case o.N == 0:
		return true
	case s.N > 0 && (s.Kind != o.Kind || s.Unit != o.Unit):
		return false
	case s.N == 0:
		s.Kind, s.Unit, s.Min, s.Max = o.Kind, o.Unit, o.Min, o.Max
	default:
		s.Min, s.Max = min(s.Min, o.Min), max(s.Max, o.Max)
	}
	s.N += o.N
	s.Sum.Merge(&o.Sum)
	s.Bars = mergeBars(s.Bars, o.Bars)
	s.Numbers, s.Words = union(s.Numbers, o.Numbers), union(s.Words, o.Words)
	s.Distinct = uint64(len(s.Numbers) + len(s.Words))
	return true
}

// union returns the values of a or b, which ascend, in ascending order.
func union[T cmp.Ordered](a, b []T) []T {
	if len(b) == 0 {
		return a
	}
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// Percentile returns a percentile, from 0 to 100, of N values, of which there are some: about the value with rank ceil(p / 100 * N), as
// Error says. Min and Max are given as floats.
func (s *State) Percentile(p float64, whole bool, least, most float64) float64 {
	rank := rankOf(p, s.N)
	switch rank {
	case 1:
		return least
	case s.N:
		return most
	}
	return math.Max(least, math.Min(most, percentile(s.Bars, rank, whole)))
}
