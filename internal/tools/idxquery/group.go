package idxquery

import (
	"context"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Group is what --group prints of the documents with the value of a hit in the field of --collapse.
type Group struct {
	Value any    `json:"value,omitempty"` // of several the least; a hit without one is alone
	Total uint64 `json:"total"`           // documents that match
	Hits  []Hit  `json:"hits"`            // the best of them
}

// grouped returns the request of a reply that pinion.Request.GroupOf is asked of. Its hits show what shown says.
func (w *worker) grouped(r *reply, shown *pinion.Request) pinion.Request {
	f, asked := w.s.f, &w.s.asked
	of := pinion.Request{Query: r.query.Node, Collapse: f.collapse, Group: &pinion.Group{Limit: f.group},
		K1: f.own.K1, B: f.own.B, Scorer: f.own.Scorer, Fields: shown.Fields, Snippet: shown.Snippet, Nearest: shown.Nearest}
	if f.fuse {
		of.Query, of.Fuse, of.Filter = nil, w.fusion(), w.s.filter
	}
	for _, s := range asked.sort {
		of.Sort = append(of.Sort, pinion.Sort(s))
	}
	if asked.static != nil {
		of.Static = (*pinion.Static)(asked.static)
	}
	for _, c := range w.s.chosen {
		if of.Filter == nil {
			of.Filter = c.Node
		} else {
			of.Filter = query.And{of.Filter, c.Node}
		}
	}
	return of
}

// addGroups adds the groups of hits, whose request is of.
func (w *worker) addGroups(hits []Hit, of pinion.Request) error {
	var values []schema.Value
	field, some := w.s.snapshot.Field(of.Collapse)
	for i := range hits {
		h := &hits[i]
		if values = values[:0]; some {
			var err error
			if values, err = field.AppendValues(values, h.Doc); err != nil {
				return err
			}
		}
		if len(values) == 0 {
			h.Group = &Group{Total: 1, Hits: []Hit{*h}}
			continue
		}
		r := of.GroupOf(values[0].Any())
		page, err := w.s.pages.Search(context.Background(), r)
		if err != nil {
			return err
		}
		h.Group = &Group{Value: plain(values[0]), Total: page.Total}
		for k := range page.Hits {
			own := w.hit(&page.Hits[k], &r)
			own.Rank = k + 1
			own.Sort = w.sortedBy(page.Hits[k].Sort, own.Score)
			h.Group.Hits = append(h.Group.Hits, own)
		}
	}
	return nil
}

// hit returns a hit of a page that answers r as it is printed.
func (w *worker) hit(h *pinion.Hit, r *pinion.Request) Hit {
	to := Hit{Doc: h.Doc, ID: cli.Text(h.ID), Score: h.Score, Text: w.s.values(h)}
	if to.shown = cli.Snippet([]byte(to.Text), len(to.Text)+1); r.Snippet != nil {
		to.shown = passage(h, w.s.f.width)
	}
	for _, n := range h.Nearest {
		to.Nearest = append(to.Nearest, NearestVector(n))
	}
	return to
}
