package engine

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/columns"
)

// chosen are the documents that pass each of ColumnPlan.Chosen. Hits must be in all of these. Matches are counted without them: each
// Facet counts those that are in all but the one that it leaves out.
type chosen struct {
	sets  [][]*docset.Set // of each, by segment; nil where all documents pass
	base  []*docset.Set   // what Sets is without them
	parts []columns.Part  // of a block: those in all sets, and then those in all but each
	in    []*docset.Set   // memory
}

// choose makes hits pass the plan's Chosen.
func (r *execution) choose() error {
	c := r.columnar
	if len(c.plan.Chosen) == 0 {
		return nil
	}
	if t := r.words.Tree; t != nil && has(t, algorithm.OpNear) {
		return fmt.Errorf("%w: a facet that leaves out a filter, of a query for the nearest vectors: which are near depends on all filters", ErrInvalid)
	}
	c.chosen = chosen{base: r.Sets, parts: make([]columns.Part, len(c.plan.Chosen)+1)}
	all := make([]*docset.Set, len(r.parts()))
	copy(all, r.Sets)
	for _, f := range c.plan.Chosen {
		sets, err := resolving{r}.appendSets(nil, f)
		if err != nil {
			return err
		}
		c.chosen.sets = append(c.chosen.sets, sets)
		for p, s := range sets {
			switch {
			case s == nil:
			case all[p] == nil:
				all[p] = s
			default:
				all[p] = docset.And(all[p], s)
			}
		}
	}
	r.Sets = all
	return nil
}

// unchoose makes matches those without the plan's Chosen, after all hits are found.
func (r faceting) unchoose() {
	if len(r.columnar.plan.Chosen) > 0 {
		r.Sets = r.columnar.chosen.base
	}
}

// split sets parts to those of p that Facets count.
func (c *chosen) split(p *columns.Part, segment int) {
	for i := range c.parts {
		c.in = c.in[:0]
		for k, sets := range c.sets {
			if s := sets[segment]; k != i-1 && s != nil {
				c.in = append(c.in, s)
			}
		}
		p.In(&c.parts[i], c.in)
	}
}
