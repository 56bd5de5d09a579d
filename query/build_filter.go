package query

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
)

// filters builds filters. Those of package filter become one.
func (b *builder) filters(filters []Filter) (all []part, err error) {
	var own filter.And
	for i, f := range filters {
		if f != nil && !searches(f) {
			if err := b.enter(); err != nil {
				return nil, err
			}
			own = append(own, f)
			continue
		}
		x, ok, err := b.filterAt("Filter", i, f)
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, x)
		}
	}
	if len(own) == 0 {
		return all, nil
	}
	together := Filter(own)
	if len(own) == 1 {
		together = own[0]
	}
	x, err := b.columns(together)
	if err == nil {
		return append(all, x), nil
	}
	for i, f := range filters { // say which one it is
		if !searches(f) {
			if _, _, err := b.filterAt("Filter", i, f); err != nil {
				return nil, err
			}
		}
	}
	return nil, err
}

// searches reports whether there is a filter in f that package filter does not have.
func searches(f Filter) bool {
	switch f := f.(type) {
	case Where, Bitmap:
		return true
	case filter.And:
		return anySearches(f)
	case filter.Or:
		return anySearches(f)
	case filter.Not:
		return searches(f.Filter)
	}
	return false
}

func anySearches(all []Filter) bool {
	for _, f := range all {
		if searches(f) {
			return true
		}
	}
	return false
}

// filterAt builds a filter at a place in the current node.
func (b *builder) filterAt(role string, i int, f Filter) (part, bool, error) {
	b.path = append(b.path, step{role, i})
	x, ok, err := b.filter(f)
	b.path = b.path[:len(b.path)-1]
	return x, ok, err
}

func (b *builder) filter(f Filter) (x part, ok bool, err error) {
	if err := b.enter(); err != nil {
		return x, false, err
	}
	if f != nil && !searches(f) {
		x, err = b.columns(f)
		return x, true, err
	}
	switch f := f.(type) {
	case Where:
		x, ok, err = b.kid("Node", -1, f.Node, 1)
		if ok && x.op == algorithm.OpConst { // nothing scores here
			x = x.must[0]
		}
		return x, ok, err
	case Bitmap:
		if f.Docs == nil {
			return x, false, b.errorf("a Bitmap without Docs")
		}
		return part{op: algorithm.OpSet, set: f.Docs}, true, nil
	case filter.And:
		x.op = algorithm.OpBool
		if x.must, err = b.within("And", f); err != nil {
			return x, false, err
		}
		return x.simplified()
	case filter.Or:
		x.op, x.atLeast = algorithm.OpBool, 1
		if x.should, err = b.within("Or", f); err != nil || len(x.should) == 0 {
			return x, false, err
		}
		return x.simplified()
	case filter.Not:
		kid, ok, err := b.filterAt("Not", -1, f.Filter)
		if !ok {
			return part{op: algorithm.OpAll}, err == nil, err
		}
		return part{op: algorithm.OpBool, must: []part{{op: algorithm.OpAll}}, not: []part{kid}}, true, err
	}
	return x, false, b.errorf("a filter of type %T", f)
}

// within builds the filters of an And or Or.
func (b *builder) within(role string, filters []Filter) (all []part, err error) {
	for i, f := range filters {
		x, ok, err := b.filterAt(role, i, f)
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, x)
		}
	}
	return all, nil
}

// columns builds a filter of package filter.
func (b *builder) columns(f Filter) (part, error) {
	c, err := filter.Compile(trusted.Caller{}, b.p.schema, f)
	switch {
	case err != nil:
		return part{}, b.at(fmt.Errorf("%w: %w", ErrInvalid, err))
	case c.None():
		return part{op: algorithm.OpNone}, nil
	case c.All():
		return part{op: algorithm.OpAll}, nil
	}
	return part{op: algorithm.OpSet, columns: c}, nil
}

// plainFiltered is plain for a Match that must match, and filters beside it.
func (b *builder) plainFiltered(n *Bool) (ok bool, err error) {
	if len(n.Filter) == 0 || len(n.Must) != 1 || len(n.Should)+len(n.Not) > 0 || n.AtLeast != 0 || n.Boost != 0 {
		return false, nil
	}
	m, ok := n.Must[0].(Match)
	if !ok {
		return false, nil
	}
	nodes := b.nodes
	b.nodes += 2 // n and m
	b.path = append(b.path, step{"Must", 0})
	if ok, err = b.plain(&m); err != nil {
		return false, b.at(err)
	}
	b.path = b.path[:0]
	switch ok = ok && len(b.w.Words) > 0; {
	case ok && b.ofColumns(n.Filter):
	case ok:
		filters, err := b.filters(n.Filter)
		if err != nil {
			return false, err
		}
		ok = len(b.restrict(filters)) == 0
	}
	if !ok {
		b.nodes = nodes
		b.w.Words, b.w.Bytes, b.w.Filter, b.w.Columns = b.w.Words[:0], b.w.Bytes[:0], nil, nil
		b.restartExpansions()
	}
	return ok, nil
}

// ofColumns makes filters of a query those of b.w if all are of package filter, and some but not all documents may pass.
// Of others, and of those that are invalid, it knows nothing.
func (b *builder) ofColumns(filters []Filter) bool {
	if b.nodes+len(filters) > MaxNodes {
		return false
	}
	for _, f := range filters {
		if f == nil || searches(f) {
			return false
		}
	}
	together := filters[0]
	if len(filters) > 1 {
		together = filter.And(filters)
	}
	c, err := filter.Compile(trusted.Caller{}, b.p.schema, together)
	if err != nil || c.None() || c.All() {
		return false
	}
	b.nodes += len(filters)
	b.w.Columns = c
	return true
}

// restrict makes filters of a query those of b.w if they are sets, and returns the others.
func (b *builder) restrict(filters []part) (others []part) {
	w := b.w
	for _, f := range filters {
		switch {
		case f.op == algorithm.OpAll:
		case f.op != algorithm.OpSet:
			others = append(others, f)
		case f.columns != nil && w.Columns == nil:
			w.Columns = f.columns
		case f.columns != nil:
			others = append(others, f)
		case w.Filter == nil:
			w.Filter = f.set
		default:
			w.Filter = roaring.And(w.Filter, f.set)
		}
	}
	return others
}
