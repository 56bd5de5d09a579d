package httpapi

import (
	"cmp"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// NewResponse returns the answer to r from a page that answers what r.Search returned, q, for the same schema.
func NewResponse(s *schema.Schema, r *Request, q *pinion.Request, p *pinion.Page) *Response {
	a := &Response{Hits: []Hit{}, Next: FormatAfter(p.Next()), Words: r.words(s), Approximate: p.Approximate}
	if a.Next == "" && q.Collapse != "" && q.Fuse == nil && len(p.Hits) == cmp.Or(q.Limit, query.DefaultK) { // of shards
		a.Next = formatOffset(q.Offset + len(p.Hits))
	}
	if q.Total || len(q.Facets) > 0 {
		a.Total = &p.Total
	}
	for i := range p.Hits {
		a.Hits = append(a.Hits, newHit(s, q, &p.Hits[i]))
	}
	for _, l := range p.Limited {
		a.Limited = append(a.Limited, Limited(l))
	}
	for i := range p.Facets {
		a.Facets = append(a.Facets, newCounts(&r.Facets[i], &p.Facets[i]))
	}
	return a
}

func newHit(s *schema.Schema, q *pinion.Request, h *pinion.Hit) Hit {
	to := Hit{ID: Text(h.ID), Doc: h.Doc, Score: h.Score, Lists: newLists(h.Lists), Rescored: h.Rescored, Group: newGroup(s, q, h.Group)}
	for i, v := range h.Sort {
		if q.Sort[i].Score {
			to.Sort = append(to.Sort, h.Score)
			continue
		}
		to.Sort = append(to.Sort, plain(v.Any()))
	}
	for _, n := range h.Nearest {
		to.Nearest = append(to.Nearest, NearestVector(n))
	}
	if len(h.Values) > 0 {
		to.Values = make(map[string][]any, len(q.Fields))
	}
	for _, v := range h.Values {
		name := s.Fields[v.Field].Name
		to.Values[name] = append(to.Values[name], plain(v.Any()))
	}
	if q.Snippet == nil {
		return to
	}
	p := h.Passage()
	to.Passage = &Passage{Text: Text(p.Text), Spans: [][2]int{}, Before: p.Before, Behind: p.Behind}
	for _, x := range p.Spans {
		to.Passage.Spans = append(to.Passage.Spans, [2]int{x.Start, x.End})
	}
	return to
}

// plain returns a value of schema.Value.Any as JSON has it.
func plain(x any) any {
	switch x := x.(type) {
	case string:
		return Text(x)
	case time.Time:
		return x.Format(time.RFC3339Nano)
	}
	return x
}
