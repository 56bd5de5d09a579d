package pinion

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// groups returns the values by which Request.Collapse, which names a field, collapses hits: the zero Value of one without.
func (s *pager) groups(snapshot *reader.Snapshot, field string, hits []search.Hit) ([]schema.Value, error) {
	i := s.fields.number(field)
	switch {
	case i < 0:
		return nil, fmt.Errorf("%w: collapse by field %q: there is no such field", query.ErrInvalid, field)
	case !s.fields.all[i].Column:
		return nil, fmt.Errorf("%w: collapse by field %q, which is of kind %v and has no column", query.ErrInvalid, field, s.fields.all[i].Kind)
	}
	r := search.Result{Hits: hits}
	err := r.SetGroups(snapshot, s.fields.all[i].Name)
	return r.Groups, err
}

// collapse leaves the first of hits with the same value, and all without one.
func collapse(hits []search.Hit, values []schema.Value) []search.Hit {
	var c search.Collapsing
	i := -1
	return slices.DeleteFunc(hits, func(search.Hit) bool {
		i++
		return !c.First(values[i])
	})
}
