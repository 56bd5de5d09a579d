package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/engine/posting"
)

// faceting is a search that counts matches by values.
type faceting struct{ *execution }

// countFacets counts the matches, in all and by facets.
func (r faceting) countFacets() error {
	r.beginFacets()
	r.unchoose()
	for p := range r.s.parts {
		if err := r.countSegment(p, 0, posting.End); err != nil {
			return err
		}
	}
	return r.endFacets()
}

// beginFacets makes the counters of the facets ready.
func (r faceting) beginFacets() {
	c := r.columnar
	for len(c.counters) < len(c.plan.Facets) {
		c.counters = append(c.counters, columns.Counter{})
	}
	for i := range c.plan.Facets {
		c.counters[i].Reset(c.plan.Facets[i].Facet, c.budget)
	}
}

// endFacets adds the counts to r.extra. They are taken one facet after the other, so that those that are too large together are
// never in memory together.
func (r faceting) endFacets() error {
	c := r.columnar
	to := make([]columns.Counts, len(c.asked))
	for i := range c.plan.Facets {
		sum := 0
		n, err := c.counters[i].Result(func(size int) error {
			sum += size
			return cmp.Or(c.budget.Has(sum), resolving(r).ended())
		})
		if err != nil {
			return r.facetError(i, err)
		}
		c.counters[i].Drop()
		for a, f := range c.asked {
			if f.of != i {
				continue
			}
			if to[a] = n; f.k > 0 {
				to[a].Counts = n.Counts[:min(len(n.Counts), f.k)]
			}
			if err := c.budget.Take(to[a].FiguresSize(), 0); err != nil {
				return err
			}
			for j := range to[a].Counts {
				if err := c.budget.Take(to[a].Counts[j].Size(), 2*int(unsafe.Sizeof(columns.Count{}))); err != nil {
					return err
				}
			}
		}
	}
	r.extra.Facets = to
	return nil
}

// asked is a facet of a query: which facet of the plan counts for it, and how many keywords it wants; 0 if it is of others.
type asked struct{ of, k int }

// mergeFacets makes facets of the plan one that count the same.
func (c *columnar) mergeFacets() {
	c.asked = c.asked[:0]
	kept := c.plan.Facets[:0]
	for _, f := range c.plan.Facets {
		same := slices.IndexFunc(kept, func(o Facet) bool {
			return o.Column == f.Column && o.Without == f.Without && !f.Deep() && !o.Deep() && o.Every == f.Every && o.Shift == f.Shift && o.Width == f.Width && slices.Equal(o.Ranges, f.Ranges)
		})
		if c.asked = append(c.asked, asked{same, f.K}); same < 0 {
			c.asked[len(c.asked)-1].of = len(kept)
			kept = append(kept, f)
		} else {
			kept[same].K = max(kept[same].K, f.K)
		}
	}
	c.plan.Facets = kept
}

// facetError returns an error of facet i, with its field if it has too many buckets or values.
func (r faceting) facetError(i int, err error) error {
	var limit *columns.LimitError
	switch name := r.columnar.plan.Facets[i].Name; {
	case errors.Is(err, columns.ErrBuckets):
		return fmt.Errorf("%w: facet of the field %q: more than %d buckets have documents", ErrInvalid, name, columns.MaxBuckets)
	case errors.As(err, &limit) && name == "":
		return fmt.Errorf("%w: facet without a field: %w", ErrInvalid, err)
	case errors.As(err, &limit):
		return fmt.Errorf("%w: facet of the field %q: %w", ErrInvalid, name, err)
	}
	return err
}

// countSegment counts the matches of a segment from lo up to hi.
func (r faceting) countSegment(p int, lo, hi uint32) error {
	m := counting(r).matchesIn(p, false, lo, hi)
	if m == nil {
		return r.Err
	}
	counters := r.columnar.counters[:len(r.columnar.plan.Facets)]
	chosen := &r.columnar.chosen
	choosing := len(r.columnar.plan.Chosen) > 0
	add := func(block *columns.Part) error {
		if choosing {
			chosen.split(block, p)
			r.total += uint64(chosen.parts[0].N)
		}
		size := 0
		for i := range counters {
			part := block
			if choosing {
				if part = &chosen.parts[r.columnar.plan.Facets[i].Without+1]; part.N == 0 {
					continue
				}
			}
			if err := counters[i].Add(part); err != nil {
				return r.facetError(i, err)
			}
			size += counters[i].Least()
			if err := r.columnar.budget.Has(size); err != nil {
				return err
			}
		}
		return nil
	}
	of := r.columnar.fields[:0]
	for i := range r.columnar.plan.Fields {
		c, err := r.column(p, &r.columnar.plan.Fields[i])
		if err != nil {
			return err
		}
		of = append(of, c)
	}
	r.columnar.fields = of
	for i := range counters {
		if err := counters[i].Begin(p, of, r.Part.Seg.Docs()); err != nil {
			return r.facetError(i, err)
		}
	}
	for m.Next() {
		if !choosing {
			r.total += m.Count()
		}
		if err := m.Parts(add); err != nil {
			return err
		}
	}
	if r.Settle(); r.Err != nil {
		return r.Err
	}
	size := 0
	for i := range counters {
		if err := counters[i].End(); err != nil {
			return r.facetError(i, err)
		}
		size += counters[i].Least()
	}
	return r.columnar.budget.Has(size)
}
