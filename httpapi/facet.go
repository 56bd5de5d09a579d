package httpapi

import (
	"fmt"
	"strconv"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// facet returns f for an index with a schema; key is its own in the request.
func (f *Facet) facet(s *schema.Schema, key string) (to pinion.Facet, err error) {
	for i := range f.Stats {
		own := fmt.Sprintf("%s.stats[%d]", key, i)
		if _, err := column(s, own+".field", f.Stats[i].Field); err != nil {
			return to, err
		}
		to.Stats = append(to.Stats, pinion.Stat(f.Stats[i]))
	}
	if f.Field == "" && f.K == 0 && len(f.Ranges) == 0 && f.Every == "" && len(f.Stats) > 0 {
		return to, nil
	}
	field, err := column(s, key+".field", f.Field)
	if err != nil {
		return to, err
	}
	if f.K < 0 {
		return to, invalid(key+".k", "%d values", f.K)
	}
	to.Field, to.Limit, to.IgnoreOwn = f.Field, f.K, f.IgnoreOwn
	for i, w := range f.Facets {
		own, err := (&Facet{Field: w.Field, K: w.K, Ranges: w.Ranges, Every: w.Every, Stats: w.Stats}).facet(s, fmt.Sprintf("%s.facets[%d]", key, i))
		if err != nil {
			return to, err
		}
		to.Facets = append(to.Facets, own)
	}
	if len(f.Ranges) > query.MaxRanges {
		return to, invalid(key+".ranges", "%d ranges, more than %d", len(f.Ranges), query.MaxRanges)
	}
	for i, text := range f.Ranges {
		r, err := query.ParseRange(s, f.Field, text)
		if err != nil {
			return to, blame(fmt.Sprintf("%s.ranges[%d]", key, i), err)
		}
		to.Ranges = append(to.Ranges, pinion.Range{Min: r.Min, Max: r.Max, AboveMin: r.AboveMin, WithMax: !r.BelowMax})
	}
	switch {
	case f.Every == "":
		return to, nil
	case kind.Durations(uint8(field.Kind)):
		if to.Every, err = time.ParseDuration(f.Every); err != nil {
			return to, invalid(key+".every", "%q is no time as 90s or 24h", f.Every)
		}
	default:
		if to.Width, err = strconv.ParseFloat(f.Every, 64); err != nil {
			return to, invalid(key+".every", "%q is no number", f.Every)
		}
	}
	if !(to.Every > 0 || to.Width > 0) {
		return to, invalid(key+".every", "the width %s is not above 0", f.Every)
	}
	return to, nil
}

// newCounts returns the counts of a facet.
func newCounts(f *Facet, c *pinion.FacetCounts) FacetCounts {
	to := FacetCounts{Field: f.Field, Counts: []FacetCount{}, Missing: c.Missing, Stats: newStats(f.Stats, c.Stats)}
	for i, n := range c.Counts {
		x := FacetCount{Count: n.Count, Stats: newStats(f.Stats, n.Stats)}
		if len(f.Ranges) > 0 {
			x.Range = f.Ranges[i]
		} else {
			x.Value = plain(n.Value)
		}
		for k := range n.Facets {
			w := &f.Facets[k]
			x.Facets = append(x.Facets, newCounts(&Facet{Field: w.Field, Ranges: w.Ranges, Stats: w.Stats}, &n.Facets[k]))
		}
		to.Counts = append(to.Counts, x)
	}
	return to
}

// newStats returns figures.
func newStats(asked []Stat, all []pinion.Stats) (to []Stats) {
	for i := range all {
		s := &all[i]
		x := Stats{Field: asked[i].Field, Count: s.Count, Percentiles: s.Percentiles}
		if s.Min != nil {
			x.Min, x.Max, x.Sum, x.Mean = plain(s.Min), plain(s.Max), &s.Sum, &s.Mean
		}
		if len(s.Percentiles) > 0 {
			x.Error = pinion.PercentileError
		}
		if asked[i].Distinct {
			x.Distinct = &s.Distinct
		}
		to = append(to, x)
	}
	return to
}
