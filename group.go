package pinion

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Group asks for Hit.Group of each hit: the best of those that Request.Collapse leaves out, and how many there are.
type Group struct {
	// Limit is the maximum number of hits of each value; 0 means DefaultGroup.
	Limit int
	// Sort, unless empty, sorts them, in place of Request.Sort. It does not go with Rescore and Fuse.
	Sort []Sort
}

// DefaultGroup is the maximum number of hits of a value whose Group does not say it.
const DefaultGroup = 3

// GroupHits is what Request.GroupOf finds for the value of a hit. A hit without a value is alone in its group.
type GroupHits struct {
	Value any    // of the hit in the field Request.Collapse, as in a FacetCount; nil if it has none
	Total uint64 // how many documents with the value match
	Hits  []Hit  // the best of them
}

// GroupOf returns the request for the hits of r with one value in the field Collapse: a value of Go as GroupHits.Value has it, nil for those
// without a value. Of a document with several the least counts. Limit and Sort are those of r.Group; another Limit, with Offset or After, goes on behind these.
// What is as a whole in a query, as the nearest of a query.Nearest and the lists of Fuse, is found among the documents with the value.
func (r *Request) GroupOf(value any) Request {
	if value == nil {
		return r.groupOf(query.Not{Node: query.Exists{Field: r.Collapse}})
	}
	return r.groupOf(query.In{Field: r.Collapse, Values: []any{value}}, query.Not{Node: query.Range{Field: r.Collapse, Max: value, BelowMax: true}})
}

// groupOf returns the request for a group, which filters say.
func (r *Request) groupOf(filters ...query.Node) Request {
	own := query.And(filters)
	to := *r
	if r.Filter != nil {
		own = append(query.And{r.Filter}, own...)
	}
	to.Filter, to.Collapse, to.Group, to.Facets, to.Offset, to.After = own, "", nil, nil, 0, nil
	to.Limit, to.Total = DefaultGroup, true
	if g := r.Group; g != nil {
		to.Limit = cmp.Or(g.Limit, DefaultGroup)
		if len(g.Sort) > 0 {
			if to.Sort = g.Sort; !scored(g.Sort) {
				to.Static = nil
			}
		}
	}
	return to
}

// checkGroup returns what is wrong with r.Group.
func (r *Request) checkGroup() error {
	g := r.Group
	switch {
	case g == nil:
		return nil
	case r.Collapse == "":
		return fmt.Errorf("%w: Group without Collapse, which names the field", query.ErrInvalid)
	case g.Limit < 0 || g.Limit > math.MaxInt32:
		return fmt.Errorf("%w: Group of %d hits", query.ErrInvalid, g.Limit)
	case len(g.Sort) > 0 && (r.Rescore != nil || r.Fuse != nil):
		return fmt.Errorf("%w: Group with Sort beside Rescore or Fuse, which rank by scores", query.ErrInvalid)
	}
	return nil
}

// grouped returns the Group of a hit of a collection in parts, which are asked for the rest.
func grouped(r *Request, value schema.Value) *GroupHits {
	if r.Group == nil {
		return nil
	}
	return &GroupHits{Value: value.Any()}
}

// addGroups sets Group of the hits of a page.
func (s *pager) addGroups(ctx context.Context, r *Request, p *Page) error {
	hits := make([]search.Hit, len(p.Hits))
	for i := range p.Hits {
		hits[i].Doc = p.Hits[i].Doc
	}
	values, err := s.groups(s.snapshot.WithContext(ctx), r.Collapse, hits)
	if err != nil {
		return err
	}
	for i := range p.Hits {
		h := &p.Hits[i]
		value := values[i].Any()
		of := r.GroupOf(value)
		if value == nil { // alone
			if len(r.Group.Sort) == 0 {
				h.Group = &GroupHits{Total: 1, Hits: []Hit{*h}}
				continue
			}
			of = r.groupOf(query.IDs{h.ID})
		}
		g, err := s.search(ctx, of)
		if err != nil {
			return fmt.Errorf("Group of %v: %w", value, err)
		}
		h.Group = &GroupHits{Value: value, Total: g.Total, Hits: g.Hits}
		p.Approximate = p.Approximate || g.Approximate
	}
	return nil
}
