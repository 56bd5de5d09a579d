package ocis

import (
	"context"
	"errors"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
)

// Request says what is searched for, and where.
type Request struct {
	// Query is what the host's parser makes of what people type.
	Query []Node
	// RootID is the space that is searched, and Path a folder in it. An empty RootID means all spaces, whatever Path is.
	RootID, Path string
	// Limit is the greatest number of matches; 0 means DefaultLimit, and -1 all.
	Limit int
}

// DefaultLimit is the greatest number of matches of a Request that does not say it.
const DefaultLimit = 200

// Response is the answer to a Request.
type Response struct {
	Matches []Match // the best first
	Total   uint64  // how many resources match, also those beyond the limit
}

// Match is a resource that matches.
type Match struct {
	Score    float32 // above 0
	Resource         // without its Content
	// Highlight is a passage of the text in HTML, with the words of the query in <mark>, if there are such.
	Highlight string
}

// highlightLength is the greatest number of characters of a Highlight, without the marks.
const highlightLength = 200

// Search returns the resources that match and are not deleted. The error matches ErrQuery if the query asks for nothing.
func (e *Engine) Search(ctx context.Context, r Request) (found Response, err error) {
	err = e.view(ctx, func(v view) error {
		found, err = v.answer(ctx, &r, nil)
		if errors.Is(err, query.ErrTooManyTerms) {
			found, err = v.answer(ctx, &r, v.Snapshot())
		}
		return err
	})
	return found, err
}

// answer is Search. Patterns are expanded by the query, or looked up in wide if it is not nil.
func (v view) answer(ctx context.Context, r *Request, wide terms) (Response, error) {
	c := compiler{wide: wide}
	q, err := c.compile(r.Query)
	if err != nil {
		return Response{}, err
	}
	all := query.Bool{Must: []query.Node{q}, MustNot: []query.Node{query.Term{Field: names[flags], Text: flagDeleted}}}
	if r.RootID != "" {
		all.Filter = append(all.Filter, inRoot(r.RootID))
		if f := within(r.Path); f != nil {
			all.Filter = append(all.Filter, f)
		}
	}
	live := int(max(v.Snapshot().Stats().Live, 1))
	pr := pinion.Request{Query: all, Limit: r.Limit, Total: true, Fields: shown}
	switch {
	case r.Limit == 0:
		pr.Limit = DefaultLimit
	case r.Limit < 0:
		pr.Limit = live
	}
	pr.Limit = min(pr.Limit, live)
	if c.content {
		pr.Snippet = &pinion.Snippet{Field: names[content], Length: highlightLength}
	}
	page, err := v.Search(ctx, pr)
	if err != nil {
		return Response{}, err
	}
	found := Response{Matches: make([]Match, len(page.Hits)), Total: page.Total}
	for i := range page.Hits {
		h := &page.Hits[i]
		found.Matches[i] = Match{Score: h.Score, Resource: resource(h), Highlight: highlight(h)}
	}
	return found, nil
}

// highlight returns the passage of a hit.
func highlight(h *pinion.Hit) string {
	p := h.Passage()
	if len(p.Spans) == 0 {
		return ""
	}
	text := p.HTML()
	if p.Before {
		text = "…" + text
	}
	if p.Behind {
		text += "…"
	}
	return text
}
