package search

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// SortBy is a field whose values hits are sorted by: numbers and times by value, keywords by their bytes. The field must
// have a column. Hits without a value come last, whatever the order. Of several values the least counts, or with Desc
// the greatest. Or it is the score.
type SortBy struct {
	Field string
	Desc  bool // the greatest value first
	Score bool // in place of Field and Desc: the best score first
}

// scored reports whether hits that are sorted have scores.
func scored(by []SortBy) bool {
	return slices.ContainsFunc(by, func(s SortBy) bool { return s.Score })
}

// SortPosition is a place in the order of hits that are sorted: that of a hit with these values.
type SortPosition struct {
	// Values has one for each element of Query.Sort, as Result.Sort does; the zero Value is that of a hit without one, and a float that of a score.
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
//
// Saturation, Logarithm or Decay count something else in place of the value, in a field of floats, or of integers: at most one of them is set.
// Decay is of times, too.
type Static struct {
	Field string
	Boost float64 // above 0, up to MaxBoost; 0 means 1
	// Saturation, unless 0, counts value/(value+Saturation): half at Saturation, and never 1.
	Saturation float64
	// Logarithm, unless 0, counts ln(1+value/Logarithm).
	Logarithm float64
	// Decay, unless 0, counts Decay/(Decay+distance), by the distance of the value that is nearest to From, a number: 1 there, and half at
	// the distance Decay. DecayOver is that of times, whose From is a time.Time.
	Decay     float64
	DecayOver time.Duration
	From      any
	// Multiply multiplies the score of a match by 1 plus what would be added, instead of adding it: the score is then
	// f32(score x (1 + f32(Boost x value))), computed in float64, and at most the greatest float32. The whole score is multiplied,
	// constants included. A document without a value keeps its score.
	Multiply bool
}

// shaped reports whether s counts something else than values.
func (s *Static) shaped() bool {
	return s.Saturation != 0 || s.Logarithm != 0 || s.Decay != 0 || s.DecayOver != 0
}

// Plain reports whether s adds values as they are, as GPUs can.
func (s *Static) Plain() bool { return !s.shaped() && s.From == nil && !s.Multiply }

// mostScale bounds what is added to values.
const mostScale = 1e300

func (s *Static) check(sort []SortBy) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: static scores by the field %q with %s", query.ErrInvalid, s.Field, fmt.Sprintf(format, args...))
	}
	shapes := 0
	for _, x := range []float64{s.Saturation, s.Logarithm, s.Decay, float64(s.DecayOver)} {
		if !(x >= 0 && x <= mostScale) {
			return bad("%v, which is not above 0 and up to %v", x, mostScale)
		}
		if x > 0 {
			shapes++
		}
	}
	switch {
	case !(s.Boost >= 0 && s.Boost <= query.MaxBoost):
		return bad("the boost %v, not above 0 and up to %v", s.Boost, float64(query.MaxBoost))
	case len(sort) > 0 && !scored(sort):
		return bad("Sort without Score: hits have no scores")
	case shapes > 1:
		return bad("several of Saturation, Logarithm, Decay and DecayOver")
	case s.From != nil && s.Decay == 0 && s.DecayOver == 0:
		return bad("From, but without Decay and DecayOver")
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
	// Stats are what figures are wanted of the documents of each keyword, range or bucket; without a Field, of all that match.
	Stats []Stat
	// Facets are those within each keyword, range or bucket. They have none within.
	Facets []Facet
	// IgnoreOwn says that what Query.Chosen has of the field does not restrict the counts.
	IgnoreOwn bool
	// Keep says that Stats are to be merged with those of other parts: Query.Part sets it.
	Keep bool
}

// Chosen is a filter by a field: a node that only columns answer.
type Chosen struct {
	Field string
	Node  query.Node
}

// keywords reports whether f does not say what numbers or times it counts.
func (f *Facet) keywords() bool {
	return f.Field != "" && len(f.Ranges) == 0 && f.Every == 0 && f.Width == 0
}

func (f *Facet) check() error {
	switch {
	case f.Field == "" && (f.Limit != 0 || len(f.Ranges) > 0 || f.Every != 0 || f.Width != 0):
		return f.invalid("Limit, Ranges, Every and Width go with a field")
	case f.Field == "" && (len(f.Facets) > 0 || f.IgnoreOwn):
		return f.invalid("Facets and IgnoreOwn go with a field")
	case f.Field == "" && len(f.Stats) == 0:
		return f.invalid("there are no Stats")
	case len(f.Stats) > query.MaxStats:
		return f.invalid("%d Stats, at most %d", len(f.Stats), query.MaxStats)
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
	for i := range f.Stats {
		if err := f.Stats[i].check(); err != nil {
			return f.invalid("%v", err)
		}
	}
	for i := range f.Facets {
		switch own := &f.Facets[i]; {
		case own.Field == "":
			return f.invalid("a facet without a field within it: Stats are what is wanted of each bucket")
		case len(own.Facets) > 0:
			return f.invalid("facets within those of the field %q, which is within another", own.Field)
		case own.IgnoreOwn:
			return f.invalid("IgnoreOwn of the field %q, which is within another", own.Field)
		}
		if err := f.Facets[i].check(); err != nil {
			return err
		}
	}
	return nil
}

// countFacets returns how many facets there are, also within others.
func countFacets(all []Facet) int {
	n := len(all)
	for i := range all {
		n += len(all[i].Facets)
	}
	return n
}

func (f *Facet) invalid(format string, args ...any) error {
	if f.Field == "" {
		return fmt.Errorf("%w: facet without a field: %s", query.ErrInvalid, fmt.Sprintf(format, args...))
	}
	return fmt.Errorf("%w: facet of the field %q: %s", query.ErrInvalid, f.Field, fmt.Sprintf(format, args...))
}

// FacetCounts are the counts of a Facet.
type FacetCounts struct {
	// Counts are the most frequent keywords that matches have, equally frequent ones in the order of their bytes; or
	// those of the ranges, in the order of Facet.Ranges; or those of the buckets that have matches, in ascending order.
	Counts []FacetCount
	// Missing is how many matches have no value in the field.
	Missing uint64
	// Stats are the figures of a Facet without a Field, one for each of Facet.Stats.
	Stats []Figures
}

// FacetCount is how many matches have one of some values.
type FacetCount struct {
	Value  schema.Value // the keyword, or the least value of the bucket; the zero Value of a range
	Count  uint64
	Stats  []Figures     // one for each of Facet.Stats
	Facets []FacetCounts // one for each of Facet.Facets
}

// wants are the parts of a query that need columns.
type wants struct {
	sort     []SortBy
	after    *SortPosition
	facets   []Facet
	collapse string
	static   *Static
	chosen   []Chosen
}
