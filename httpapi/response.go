package httpapi

import (
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/search"
)

// NewResponse returns the answer to r from a page that answers what r.Search returned, q, for the same schema.
func NewResponse(s *schema.Schema, r *Request, q *search.Request, p *search.Page) *Response {
	a := &Response{Hits: []Hit{}, Next: FormatAfter(p.Next())}
	if q.Total || len(q.Facets) > 0 {
		a.Total = &p.Total
	}
	for i := min(r.Offset, len(p.Hits)); i < len(p.Hits); i++ {
		a.Hits = append(a.Hits, newHit(s, q, &p.Hits[i]))
	}
	for i := range p.Facets {
		a.Facets = append(a.Facets, newCounts(&r.Facets[i], &p.Facets[i]))
	}
	return a
}

func newHit(s *schema.Schema, q *search.Request, h *search.Hit) Hit {
	to := Hit{ID: Text(h.ID), Doc: h.Doc, Score: h.Score}
	for _, v := range h.Sort {
		to.Sort = append(to.Sort, plain(v))
	}
	if len(h.Values) > 0 {
		to.Values = make(map[string][]any, len(q.Fields))
	}
	for _, v := range h.Values {
		name := s.Fields[v.Field].Name
		to.Values[name] = append(to.Values[name], plain(v))
	}
	if q.Snippet == nil {
		return to
	}
	to.Passage = &Passage{Text: Text(h.Text), Spans: [][2]int{}, Before: h.Before, Behind: h.Behind}
	for _, x := range h.Spans {
		to.Passage.Spans = append(to.Passage.Spans, [2]int{x.Start, x.End})
	}
	return to
}

func newCounts(f *Facet, c *query.FacetCounts) FacetCounts {
	to := FacetCounts{Field: f.Field, Counts: []FacetCount{}, Missing: c.Missing}
	for i, n := range c.Counts {
		x := FacetCount{Count: n.Count}
		if len(f.Ranges) > 0 {
			x.Range = f.Ranges[i]
		} else {
			x.Value = plain(n.Value)
		}
		to.Counts = append(to.Counts, x)
	}
	return to
}

// plain returns a value as JSON has it, nil for none.
func plain(v schema.Value) any {
	switch v.Kind {
	case 0:
		return nil
	case schema.KindInteger:
		return v.Int()
	case schema.KindFloat:
		return v.Float()
	case schema.KindTime:
		return v.String()
	}
	return Text(v.Bytes())
}
