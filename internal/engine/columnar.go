package engine

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
)

// ColumnPlan is what a query wants of columns.
type ColumnPlan struct {
	Sort  []SortKey    // unless empty, hits are sorted, and scored only if Score is among them
	After *columns.Hit // hits up to it are left out, if they are sorted
	// AfterOrder, unless empty, is what documents at After have in the order that the index keeps.
	AfterOrder []schema.Value
	Facets     []Facet
	// Fields are those whose columns Facets are by, and what is within them, by their numbers there.
	Fields []ColumnField
	// Chosen are what hits and counts must pass too, but for those of a Facet that leaves one of them out.
	Chosen   []*filter.Compiled
	Collapse *ColumnField // unless nil, of hits with the same value only the best counts
	Static   *ColumnField // unless nil, StaticWeight times what StaticCurve says of its value is added to scores
	// StaticWeight is above 0.
	StaticWeight   float64
	StaticCurve    columns.Curve
	StaticMultiply bool // scores are multiplied by 1 plus that instead
}

// onlyStatic reports whether p wants nothing but static scores.
func (p *ColumnPlan) onlyStatic() bool {
	return len(p.Sort)+len(p.Facets) == 0 && p.Collapse == nil
}

// ColumnField is a field with a column.
type ColumnField struct {
	Name    string
	ID      uint32 // in segments
	Keyword bool
}

// SortKey is a field that hits are sorted by, or their scores, which descend.
type SortKey struct {
	ColumnField
	Desc  bool
	Score bool
}

// Facet is how matches are counted.
type Facet struct {
	columns.Facet
	Without int // which of ColumnPlan.Chosen does not restrict it; -1 for none
}

// Extra is what a query that wants columns has beside its hits.
type Extra struct {
	Sorted []columns.Hit // the hits, if they are sorted
	Facets []columns.Counts
}

// columnar is memory for queries that want columns.
type columnar struct {
	plan     ColumnPlan
	budget   *budget.Budget // of the request; nil if it has none
	order    []columns.SortBy
	rank     columns.Ranking
	sorter   columns.Sorter
	scores   columns.Scores // of the current segment, if hits are sorted by them
	counters []columns.Counter
	asked    []asked // the facets of the query
	fields   []columns.Column
	blocks   []int
	round    []int
	looked   int // how many blocks a pass that sorts has looked at
	groups   groups
	chosen   chosen
}

// column returns the column of a field in segment p, nil if it has none.
func (r *execution) column(p int, f *ColumnField) (columns.Column, error) {
	s := r.parts()[p].Views()
	i, ok := s.FieldByID(f.ID)
	if !ok {
		return nil, nil
	}
	c, ok, err := s.Field(i).Column()
	if !ok || err != nil {
		return nil, err
	}
	return c, nil
}

// beginColumns plans what a query wants of columns.
func (r *execution) beginColumns() (err error) {
	if r.columnar == nil {
		r.columnar = new(columnar)
	}
	c := r.columnar
	if c.plan, err = r.s.planColumns(&r.q); err != nil {
		return err
	}
	c.budget = budget.Of(r.words.Context)
	c.mergeFacets()
	if r.q.Mode == AndOr && !c.plan.onlyStatic() {
		return fmt.Errorf("%w: a mode without a set of matches that does not depend on K is neither sorted nor counted nor collapsed", ErrInvalid)
	}
	if len(c.plan.AfterOrder) > 0 && r.s.ordering != nil && !r.tied() {
		r.tie()
	}
	if (sorting{r}).placeSorted(); r.tieError() != nil {
		return r.tieError()
	}
	if err := r.choose(); err != nil {
		return err
	}
	return r.findStatic()
}

// findStatic finds the columns that say static scores, unless the query has none.
func (r *execution) findStatic() error {
	p := &r.columnar.plan
	if p.Static == nil {
		return nil
	}
	s := &algorithm.Static{Curve: p.StaticCurve, Weight: p.StaticWeight, Multiply: p.StaticMultiply}
	for i := range r.parts() {
		c, err := r.column(i, p.Static)
		if err != nil {
			return err
		}
		if c != nil {
			if v, bad := columns.Limits(c, s.Curve, s.Weight); bad {
				return fmt.Errorf("%w: static scores by the field %q: a document has the value %v, below 0 or too great for the weight %v", ErrInvalid, p.Static.Name, v, s.Weight)
			}
		}
		s.Columns, s.Ranks = append(s.Columns, c), append(s.Ranks, nil)
		if s.Curve.Ranked() {
			s.Ranks[i] = r.ranks(i, p.Static.ID, c)
		}
	}
	r.Static = s
	return nil
}

// ranks returns what is kept of static scores in segment p, nil if nothing is. A column that cannot be read whole is not
// kept: damage that queries do not meet does not change how they end.
func (r *execution) ranks(p int, id uint32, c columns.Column) (ranks *columns.Ranks) {
	part := &r.parts()[p]
	views := part.Views()
	if c == nil || views.OnDemand() {
		return nil
	}
	err := indexdir.Guard(func() (err error) { // a fault must not end the query
		ranks, err = columns.RanksOf(views, id, c, part.Seg.Docs())
		return err
	})
	if err != nil {
		return nil
	}
	return ranks
}

// forgetColumns drops references that a pooled execution must not keep alive.
func (r *execution) forgetColumns() {
	c := r.columnar
	if c == nil {
		return
	}
	c.plan, c.groups, c.budget, c.chosen = ColumnPlan{}, groups{}, nil, chosen{}
	c.rank.Forget()
	c.sorter.Forget()
	c.forgetScores()
	clear(c.fields[:cap(c.fields)])
	for i := range c.counters {
		c.counters[i].Forget()
	}
}
