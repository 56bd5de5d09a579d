package engine

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/query/internal/engine/columns"
	"github.com/pinion-index/pinion/query/internal/engine/posting"
)

// countFacets counts the matches, in all and by facets.
func (r *execution) countFacets() error {
	r.beginFacets()
	for p := range r.s.parts {
		if err := r.countSegment(p, 0, posting.End); err != nil {
			return err
		}
	}
	return r.endFacets()
}

// beginFacets makes the counters of the facets ready.
func (r *execution) beginFacets() {
	c := r.columnar
	for len(c.counters) < len(c.plan.Facets) {
		c.counters = append(c.counters, columns.Counter{})
	}
	for i := range c.plan.Facets {
		c.counters[i].Reset(c.plan.Facets[i].Facet)
	}
}

// endFacets adds the counts to r.extra.
func (r *execution) endFacets() error {
	counters := r.columnar.counters[:len(r.columnar.plan.Facets)]
	for i := range counters {
		n, err := counters[i].Result()
		if err != nil {
			return err
		}
		r.extra.Facets = append(r.extra.Facets, n)
	}
	return nil
}

// facetError returns an error of facet i, with its field if it has too many buckets.
func (r *execution) facetError(i int, err error) error {
	if errors.Is(err, columns.ErrBuckets) {
		return fmt.Errorf("%w: facet of the field %q: more than %d buckets have documents", ErrInvalid, r.columnar.plan.Facets[i].Name, columns.MaxBuckets)
	}
	return err
}

// countSegment counts the matches of a segment from lo up to hi.
func (r *execution) countSegment(p int, lo, hi uint32) error {
	m := r.matchesIn(p, false, lo, hi)
	if m == nil {
		return r.Err
	}
	counters := r.columnar.counters[:len(r.columnar.plan.Facets)]
	add := func(p *columns.Part) error {
		for i := range counters {
			if err := counters[i].Add(p); err != nil {
				return r.facetError(i, err)
			}
		}
		return nil
	}
	for i := range counters {
		of, err := r.column(p, &r.columnar.plan.Facets[i].ColumnField)
		if err != nil {
			return err
		}
		counters[i].Begin(p, of, r.Part.Seg.Docs())
	}
	for m.Next() {
		r.total += m.Count()
		if err := m.Parts(add); err != nil {
			return err
		}
	}
	if r.Settle(); r.Err != nil {
		return r.Err
	}
	for i := range counters {
		if err := counters[i].End(); err != nil {
			return r.facetError(i, err)
		}
	}
	return nil
}
