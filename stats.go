package pinion

import (
	"fmt"
	"unsafe"

	"github.com/pinion-index/pinion/internal/search"
)

// Stat asks for figures of the values that documents have in a field, which must have a column. Of several values of a document
// each counts. Keywords have a count alone, and how many are distinct.
type Stat struct {
	Field string
	// Percentiles, up to query.MaxPercentiles, are those that are wanted of numbers, from 0 to 100. Times have none: take buckets of them.
	Percentiles []float64
	// Distinct asks how many values are distinct. In all keywords, ranges and buckets of a facet, there may be query.MaxDistinct.
	Distinct bool
}

// Stats are figures of the values that documents have in a field. They are the same to the bit however documents lie in segments and
// shards: Sum and Mean are computed of all values as they are, and rounded once.
type Stats struct {
	// Count is how many values there are. Without any, all below is zero.
	Count uint64
	// Min and Max are the least and the greatest number or time: an int64, a float64, or a time.Time in UTC; nil of keywords.
	Min, Max any
	// Sum and Mean are those of numbers, and of times in seconds since 1970.
	Sum, Mean float64
	// Percentiles are those of Stat.Percentiles: of n values, about the one that has rank ceil(p / 100 * n) in ascending order. A
	// percentile is off by at most PercentileError of that value, or of one nearer to 0 than 3e-308, by 1e-310. Those of the first and the
	// last rank are Min and Max, and integers from -255 to 255 are as they are.
	Percentiles []float64
	// Distinct is how many values are distinct, if Stat.Distinct asks for it.
	Distinct uint64

	state search.State
}

// PercentileError is how far a percentile may be from the value at its rank, relative to that value.
const PercentileError = search.PercentileError

// statsOf returns figures as pages have them.
func statsOf(of []search.Figures) (all []Stats) {
	for i := range of {
		s := &of[i]
		all = append(all, Stats{Count: s.Count, Min: s.Min.Any(), Max: s.Max.Any(), Sum: s.Sum, Mean: s.Mean, Percentiles: s.Percentiles,
			Distinct: s.Distinct, state: s.State})
	}
	return all
}

// MarshalBinary returns what MergePages needs of s, which is of a part of a collection.
func (s *Stats) MarshalBinary() ([]byte, error) { return s.state.Append(nil), nil }

// UnmarshalBinary makes s what MarshalBinary has written, for MergePages: Count is set, and no other figure.
func (s *Stats) UnmarshalBinary(b []byte) error {
	state, err := search.DecodeState(b)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	*s = Stats{Count: state.N, state: state}
	return nil
}

// figuresOf returns figures of a part as queries have them.
func figuresOf(stats []Stats) (all []search.Figures) {
	for i := range stats {
		all = append(all, search.Figures{State: stats[i].state})
	}
	return all
}

// bytes returns about what s takes.
func (s *Stats) bytes() int {
	n := int(unsafe.Sizeof(*s)) + 8*len(s.Percentiles) + s.state.Sum.Size() + 16*len(s.state.Bars) + 8*len(s.state.Numbers)
	for _, w := range s.state.Words {
		n += 16 + len(w)
	}
	return n
}
