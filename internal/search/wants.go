package search

import (
	"fmt"
	"math"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// SortBy is a field whose values hits are sorted by: numbers and times by value, keywords by their bytes. The field must
// have a column. Hits without a value come last, whatever the order. Of several values the least counts, or with Desc
// the greatest.
type SortBy struct {
	Field string
	Desc  bool // the greatest value first
}

// SortPosition is a place in the order of hits that are sorted: that of a hit with these values.
type SortPosition struct {
	// Values has one for each element of Query.Sort, as Result.Sort does; the zero Value is that of a hit without one.
	Values []schema.Value
	Doc    uint32
	Order  []schema.Value // as Position.Order; where Sort has its field, what Values has there
	// Before says that the place is before all hits with these values, and Order if there is one, whatever Doc is.
	Before bool
}

// Static adds f32(Boost x value) to the score of each match, by its value in a field of floats that has a column: what is
// known of a document whatever is searched for, such as a PageRank, transformed as it is to be added. Of several values the
// greatest counts; a document without one gets nothing. From the second query on, 2 bytes a document are kept in memory with
// an open index that is not read on demand. No document of the index may have a value below 0, or one whose
// addend is above half the greatest float32.
type Static struct {
	Field string
	Boost float64 // above 0, up to MaxBoost; 0 means 1
}

func (s *Static) check(sort []SortBy) error {
	switch {
	case !(s.Boost >= 0 && s.Boost <= query.MaxBoost):
		return fmt.Errorf("%w: static scores by the field %q with the boost %v, not above 0 and up to %v", query.ErrInvalid, s.Field, s.Boost, float64(query.MaxBoost))
	case len(sort) > 0:
		return fmt.Errorf("%w: static scores by the field %q with Sort: hits have no scores", query.ErrInvalid, s.Field)
	}
	return nil
}

// Facet asks how many of the documents that match have which values in a field, which must have a column: keywords,
// or numbers or times in Ranges or in buckets. A document counts once in each that it has a value of.
type Facet struct {
	Field string
	// Limit is how many keywords are wanted, the most frequent; 0 means DefaultK.
	Limit int
	// Ranges are ranges of values to count. Their Field is Facet.Field, or "".
	Ranges []query.Range
	// Every is the width of buckets of times, a multiple of the field's unit. They begin where time.Time.Truncate rounds the times
	// in them down to, in UTC: weeks on Mondays.
	Every time.Duration
	// Width is that of buckets of integers, a whole number, or of floats. They begin at its multiples.
	Width float64
}

// keywords reports whether f does not say what numbers or times it counts.
func (f *Facet) keywords() bool { return len(f.Ranges) == 0 && f.Every == 0 && f.Width == 0 }

func (f *Facet) check() error {
	switch {
	case f.Limit < 0:
		return f.invalid("Limit is %d, less than 0", f.Limit)
	case f.Every < 0:
		return f.invalid("buckets of %v", f.Every)
	case !(f.Width >= 0 && f.Width <= math.MaxFloat64):
		return f.invalid("buckets of width %v", f.Width)
	case f.Every > 0 && f.Width > 0, len(f.Ranges) > 0 && (f.Every > 0 || f.Width > 0):
		return f.invalid("more than one of Ranges, Every and Width")
	case f.Limit > 0 && !f.keywords():
		return f.invalid("Limit is for keywords, not for Ranges, Every or Width")
	case len(f.Ranges) > query.MaxRanges:
		return f.invalid("%d ranges, at most %d", len(f.Ranges), query.MaxRanges)
	}
	for _, r := range f.Ranges {
		if r.Field != "" && r.Field != f.Field {
			return f.invalid("a range of the field %q", r.Field)
		}
	}
	return nil
}

func (f *Facet) invalid(format string, args ...any) error {
	return fmt.Errorf("%w: facet of the field %q: %s", query.ErrInvalid, f.Field, fmt.Sprintf(format, args...))
}

// FacetCounts are the counts of a Facet.
type FacetCounts struct {
	// Counts are the most frequent keywords that matches have, equally frequent ones in the order of their bytes; or
	// those of the ranges, in the order of Facet.Ranges; or those of the buckets that have matches, in ascending order.
	Counts []FacetCount
	// Missing is how many matches have no value in the field.
	Missing uint64
}

// FacetCount is how many matches have one of some values.
type FacetCount struct {
	Value schema.Value // the keyword, or the least value of the bucket; the zero Value of a range
	Count uint64
}

// wants are the parts of a query that need columns.
type wants struct {
	sort     []SortBy
	after    *SortPosition
	facets   []Facet
	collapse string
	static   *Static
}
