package pinion

import (
	"fmt"
	"slices"
	"time"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Sort is a field by whose values hits are sorted: numbers and times by value, keywords by their bytes. The field must have a
// column. Hits without a value come last, whatever the order. Of several values the least counts, or with Desc the greatest.
// Or hits are sorted by their scores: those in stock first and of these the best, or of equally good ones the newest. Then hits have
// scores. Behind a field, all matches that may be on the page are scored.
type Sort struct {
	Field string
	Desc  bool // the greatest value first
	Score bool // in place of Field and Desc: the best score first
}

// scored reports whether hits that are sorted so have scores.
func scored(by []Sort) bool { return slices.ContainsFunc(by, func(s Sort) bool { return s.Score }) }

// Static adds f32(Boost x value) to the score of each hit, by its value in a field of floats that has a column: what is known of
// a document whatever is searched for, such as a PageRank, transformed as it is to be added. Of several values the greatest
// counts; a document without one gets nothing. From the second search on, 2 bytes a document are kept in memory with an
// open index that is not read on demand. No document of the index may have a value below 0, or one whose addend is above half
// the greatest float32. Static goes without Sort, unless scores are among what that sorts by.
//
// Saturation, Logarithm or Decay count something else in place of the value, in a field of floats, or of integers: at most one of them is set.
// Decay is of times, too.
type Static struct {
	Field string
	Boost float64 // above 0, up to query.MaxBoost; 0 means 1
	// Saturation, unless 0, counts value/(value+Saturation): half at Saturation, and never 1.
	Saturation float64
	// Logarithm, unless 0, counts ln(1+value/Logarithm).
	Logarithm float64
	// Decay, unless 0, counts Decay/(Decay+distance), by the distance of the value that is nearest to From, a number: 1 there, and half at
	// the distance Decay. DecayOver is that of times, whose From is a time.Time.
	Decay     float64
	DecayOver time.Duration
	From      any
	// Multiply multiplies the score of a hit by 1 plus what would be added, instead of adding it: the score is then
	// f32(score x (1 + f32(Boost x value))), computed in float64, and at most the greatest float32. The whole score is multiplied,
	// constants included. A document without a value keeps its score.
	Multiply bool
}

// Facet asks how many of the documents that match have which values in a field, which must have a column: keywords as they are,
// numbers and times in Ranges or in buckets. A document counts once in each that it has a value of, and of several buckets or
// ranges in each. Stats ask for figures of these documents, and Facets for facets within them:
//
//	pinion.Facet{Field: "time", Every: 24 * time.Hour, Facets: []pinion.Facet{
//		{Field: "service", Stats: []pinion.Stat{{Field: "latency"}}},
//	}}
type Facet struct {
	// Field is its name. Without one there are FacetCounts.Stats alone, of all documents that match.
	Field string
	// Limit is how many keywords are wanted, the most frequent; 0 means query.DefaultK. All buckets and ranges are.
	Limit int
	// Ranges are ranges of values, up to query.MaxRanges.
	Ranges []Range
	// Every is the width of buckets of times, a multiple of the field's unit. A time is in the bucket that begins where
	// time.Time.Truncate rounds it down to, in UTC: days begin at midnight, weeks on Mondays. At most query.MaxBuckets
	// may have documents.
	Every time.Duration
	// Width is that of buckets of integers, a whole number, or of floats. They begin at its multiples, and are limited as
	// those of Every are.
	Width float64
	// Stats, up to query.MaxStats, ask for figures of the documents of each keyword, range or bucket.
	Stats []Stat
	// Facets are those within each keyword, range or bucket. They have no Facets and no IgnoreOwn. In all, the keywords, ranges and buckets of
	// a facet with Stats, or within another, are at most query.MaxGroups.
	Facets []Facet
	// IgnoreOwn counts what else could be chosen: those parts of Request.Filter that restrict Field alone do not restrict the counts,
	// but all others do. Parts are the filter itself, or the elements of an And, or of Must and Filter of a Bool; each is an In,
	// Range or Exists of the field, or And, Or and Not of such. Hits and Total obey all of the filter. It is no way for queries with a
	// query.Nearest, which finds what is near under all filters.
	IgnoreOwn bool
}

// Range is a range of the values that a Facet counts, from Min up to but not including Max: {Max: 10} and {Min: 10, Max: 50} have no
// value in common. Keywords have none.
type Range struct {
	// Min and Max are values of Go that the field's kind takes, as those of query.Range: numbers or time.Time. Nil is no bound.
	Min, Max any
	AboveMin bool // Min itself does not count
	WithMax  bool // Max itself counts too
}

// String returns the range as an interval, such as "[10, 50)".
func (r Range) String() string {
	open, least := "[", "-inf"
	if r.Min != nil {
		least = fmt.Sprint(r.Min)
	}
	if r.Min == nil || r.AboveMin {
		open = "("
	}
	end, most := ")", "inf"
	if r.Max != nil {
		most = fmt.Sprint(r.Max)
	}
	if r.Max != nil && r.WithMax {
		end = "]"
	}
	return open + least + ", " + most + end
}

// FacetCounts are the counts of a Facet.
type FacetCounts struct {
	Field string
	// Counts are those of the most frequent keywords, equally frequent ones in the order of their bytes; or of the ranges, in the
	// order of Facet.Ranges; or of the buckets that have documents, in ascending order: those without are left out.
	Counts []FacetCount
	// Missing is how many documents that match have no value in the field.
	Missing uint64
	// Stats are the figures of a Facet without a Field, one for each of Facet.Stats.
	Stats []Stats
}

// FacetCount is how many of the documents that match have one of some values.
type FacetCount struct {
	// Value is a keyword, a string; or where a bucket begins, a time.Time in UTC, an int64 or a float64; or the Range.
	Value  any
	Count  uint64
	Stats  []Stats       // one for each of Facet.Stats
	Facets []FacetCounts // one for each of Facet.Facets
}

// sorts returns r.Sort as queries have it.
func (r *Request) sorts() (by []search.SortBy) {
	for _, s := range r.Sort {
		by = append(by, search.SortBy(s))
	}
	return by
}

// facets returns r.Facets as queries have them.
func (r *Request) facets() []search.Facet { return facetsOf(r.Facets) }

func facetsOf(facets []Facet) (all []search.Facet) {
	for i := range facets {
		f := &facets[i]
		to := search.Facet{Field: f.Field, Limit: f.Limit, Every: f.Every, Width: f.Width, Facets: facetsOf(f.Facets), IgnoreOwn: f.IgnoreOwn}
		for _, x := range f.Ranges {
			to.Ranges = append(to.Ranges, query.Range{Min: x.Min, Max: x.Max, AboveMin: x.AboveMin, BelowMax: !x.WithMax})
		}
		for _, s := range f.Stats {
			to.Stats = append(to.Stats, search.Stat(s))
		}
		all = append(all, to)
	}
	return all
}

// ignoresOwn reports whether a facet leaves out its own part of the filter.
func (r *Request) ignoresOwn() bool {
	return slices.ContainsFunc(r.Facets, func(f Facet) bool { return f.IgnoreOwn })
}

// counts returns the counts of r.Facets that a query has.
func (r *Request) counts(of []search.FacetCounts) []FacetCounts { return countsOf(r.Facets, of) }

func countsOf(facets []Facet, of []search.FacetCounts) []FacetCounts {
	if len(of) == 0 {
		return nil
	}
	all := make([]FacetCounts, len(of))
	for i := range of {
		f, to := &facets[i], &all[i]
		*to = FacetCounts{Field: f.Field, Counts: make([]FacetCount, len(of[i].Counts)), Missing: of[i].Missing, Stats: statsOf(of[i].Stats)}
		for j, c := range of[i].Counts {
			to.Counts[j] = FacetCount{Value: c.Value.Any(), Count: c.Count, Stats: statsOf(c.Stats), Facets: countsOf(f.Facets, c.Facets)}
			if len(f.Ranges) > 0 {
				to.Counts[j].Value = f.Ranges[j]
			}
		}
	}
	return all
}
