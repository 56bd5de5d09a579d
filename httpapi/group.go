package httpapi

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Group asks for Hit.Group of each hit: the best of those that Collapse leaves out, and how many there are.
type Group struct {
	K    int      `json:"k,omitempty"`    // how many hits of each value; 0 means pinion.DefaultGroup
	Sort []string `json:"sort,omitempty"` // as Request.Sort, in place of it
}

// GroupHits are the hits with the same value in the field Request.Collapse, of several the least. A hit without a value is alone.
type GroupHits struct {
	Value any    `json:"value,omitempty"` // which
	Total uint64 `json:"total"`           // documents that match
	Hits  []Hit  `json:"hits"`            // the best of them
}

// GroupOf returns the request for the hits of r with one value of a group: pinion.Request.GroupOf.
func (r *Request) GroupOf(value any) Request {
	return r.groupOf((&pinion.Request{Collapse: r.Collapse}).GroupOf(value).Filter)
}

// GroupAlone is GroupOf for a hit without a value, which has an id.
func (r *Request) GroupAlone(id string) Request { return r.groupOf(query.IDs{id}) }

// groupOf returns the request for a group, which a filter says.
func (r *Request) groupOf(filter query.Node) Request {
	to := *r
	if to.Filter = fmt.Sprint(filter); r.Filter != "" {
		to.Filter = fmt.Sprintf("(%s) and %s", r.Filter, to.Filter)
	}
	to.Collapse, to.Group, to.Facets, to.Offset, to.After = "", nil, nil, 0, ""
	to.K, to.Total = pinion.DefaultGroup, true
	if g := r.Group; g != nil {
		to.K = cmp.Or(g.K, pinion.DefaultGroup)
		if len(g.Sort) > 0 {
			if to.Sort = g.Sort; !slices.Contains(g.Sort, sortScore) {
				to.Static = nil
			}
		}
	}
	return to
}

// group takes Group.
func (r *Request) group(s *schema.Schema, to *pinion.Request) error {
	g := r.Group
	switch {
	case g == nil:
		return nil
	case r.Collapse == "":
		return invalid("group", "it goes with collapse, which names the field")
	case g.K < 0:
		return invalid("group.k", "%d hits", g.K)
	case len(g.Sort) > 0 && (r.Fuse != nil || r.Rescore != nil):
		return invalid("group.sort", "fuse and rescore rank by scores")
	}
	by, err := sortBy(s, "group.sort", g.Sort)
	to.Group = &pinion.Group{Limit: g.K, Sort: by}
	return err
}

// checkGroup returns an error if r is for more hits in groups than most.
func (r *Request) checkGroup(most int) error {
	if r.Group == nil {
		return nil
	}
	if k, each := cmp.Or(r.K, query.DefaultK), cmp.Or(r.Group.K, pinion.DefaultGroup); each > most/max(k, 1) {
		return invalid("group.k", "%d hits of each of %d values, more than %d", each, k, most)
	}
	return nil
}

// newGroup returns the group of a hit.
func newGroup(s *schema.Schema, q *pinion.Request, g *pinion.GroupHits) *GroupHits {
	if g == nil {
		return nil
	}
	to := &GroupHits{Value: plain(g.Value), Total: g.Total, Hits: []Hit{}}
	of := q.GroupOf(g.Value)
	for i := range g.Hits {
		to.Hits = append(to.Hits, newHit(s, &of, &g.Hits[i]))
	}
	return to
}
