package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/engine/figures"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// merged is a count as it is added up from parts.
type merged struct {
	FacetCount
	states []figures.State
	within [][]*FacetCounts // by facet
}

// add adds a count of a part.
func (m *merged) add(f *Facet, c *FacetCount) error {
	m.Count += c.Count
	if len(c.Facets) != len(f.Facets) {
		return f.invalid("%d of %d facets within it", len(c.Facets), len(f.Facets))
	}
	for i := range c.Facets {
		m.within[i] = append(m.within[i], &c.Facets[i])
	}
	return f.addStates(m.states, c.Stats)
}

// addStates adds figures of a part to states, or none.
func (f *Facet) addStates(to []figures.State, stats []Figures) error {
	if len(stats) != len(to) {
		return f.invalid("%d of %d figures", len(stats), len(to))
	}
	for i := range stats {
		if !to[i].Merge(&stats[i].State) {
			return f.invalid("figures of the field %q, which is of another kind in another part", f.Stats[i].Field)
		}
	}
	return nil
}

func (f *Facet) newMerged() *merged {
	return &merged{states: make([]figures.State, len(f.Stats)), within: make([][]*FacetCounts, len(f.Facets))}
}

// merge adds up the counts of parts.
func (f *Facet) merge(parts []*FacetCounts, top bool) (all FacetCounts, err error) {
	var counts []*merged
	for range f.Ranges {
		counts = append(counts, f.newMerged())
	}
	own := f.newMerged().states
	if f.Field != "" {
		own = nil
	}
	at := map[string]int{}
	for _, p := range parts {
		all.Missing += p.Missing
		if err := f.addStates(own, p.Stats); err != nil {
			return all, err
		}
		if len(f.Ranges) > 0 && len(p.Counts) != len(f.Ranges) {
			return all, f.invalid("%d counts of %d ranges", len(p.Counts), len(f.Ranges))
		}
		for j := range p.Counts {
			n := j
			if c := &p.Counts[j]; len(f.Ranges) == 0 {
				key := fmt.Sprint(c.Value.Key(schema.UnitNanosecond), string(c.Value.Bytes()))
				var ok bool
				if n, ok = at[key]; !ok {
					n = len(counts)
					at[key], counts = n, append(counts, f.newMerged())
					counts[n].Value = c.Value
				}
			}
			if err := counts[n].add(f, &p.Counts[j]); err != nil {
				return all, err
			}
		}
	}
	switch {
	case len(f.Ranges) > 0 || f.Field == "":
	case !f.keywords() && top && len(counts) > query.MaxBuckets:
		return all, f.invalid("more than %d buckets have documents", columns.MaxBuckets)
	case !f.keywords():
		slices.SortFunc(counts, func(a, b *merged) int { return compareValues(a.Value, b.Value) })
	default:
		slices.SortFunc(counts, func(a, b *merged) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), compareValues(a.Value, b.Value))
		})
		counts = counts[:min(len(counts), cmp.Or(f.Limit, query.DefaultK))]
	}
	if all.Stats, err = mergedStats(f.Stats, own); err != nil {
		return all, err
	}
	for _, m := range counts {
		if m.Stats, err = mergedStats(f.Stats, m.states); err != nil {
			return all, err
		}
		for i := range f.Facets {
			own, err := f.Facets[i].merge(m.within[i], false)
			if err != nil {
				return all, err
			}
			m.Facets = append(m.Facets, own)
		}
		all.Counts = append(all.Counts, m.FacetCount)
	}
	return all, f.fewDistinct(&all)
}

// fewDistinct returns an error if there are more distinct values than one index counts.
func (f *Facet) fewDistinct(all *FacetCounts) error {
	for i := range f.Stats {
		n := uint64(0)
		if i < len(all.Stats) {
			n += all.Stats[i].Distinct
		}
		for j := range all.Counts {
			n += all.Counts[j].Stats[i].Distinct
		}
		if n > query.MaxDistinct {
			return f.invalid("more than %d distinct values of the field %q: narrow the filter, or ask for fewer buckets", query.MaxDistinct, f.Stats[i].Field)
		}
	}
	return nil
}
