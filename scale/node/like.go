package node

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
)

// A request with Like is resolved before it is asked: the documents are found as hits of a search are, the shards say how many documents
// have their words, and the request names those that weigh most.

// similar returns x with the words of its Like, and whether shards were missing when they were looked up.
func (r *Router) similar(ctx context.Context, in state, x *httpapi.Request) (to *httpapi.Request, partial bool, err error) {
	if x.Like.Known() {
		return x, false, nil
	}
	t, err := in.like(x.Like.Pinion())
	if err != nil {
		return nil, false, x.Like.Blame(err)
	}
	if len(t.IDs()) > 0 {
		if partial, err = r.liked(ctx, in, x, t); err != nil {
			return nil, false, err
		}
	}
	of := *x
	q, err := r.question(ctx, in, nil, x.Partial)
	if err != nil {
		return nil, false, err
	}
	var all query.Frequencies
	for n := range t.Nodes() {
		terms := httpapi.Request{Like: of.Like.With(n)}
		if q.request, err = json.Marshal(terms); err != nil {
			return nil, false, err
		}
		own, _, err := q.frequencies(&pinion.Request{Query: n})
		if err != nil {
			return nil, false, err
		}
		if err := all.Add(*own); err != nil {
			return nil, false, err
		}
	}
	c, err := q.collection()
	if err != nil {
		return nil, false, err
	}
	of.Like = x.Like.With(t.Node(c, all))
	return &of, partial || q.partial(), nil
}

// liked adds the documents that x is to be like.
func (r *Router) liked(ctx context.Context, in state, x *httpapi.Request, t *pinion.LikeTerms) (partial bool, err error) {
	ids := t.IDs()
	a, err := r.searchIn(ctx, in, &httpapi.Request{Query: "*", Filter: query.IDs(ids).String(), K: len(ids), Fields: t.Fields(), Partial: x.Partial})
	if err != nil {
		return false, err
	}
	found := make(map[string]bool, len(ids))
	for _, h := range a.Hits {
		d := pinion.Doc{ID: string(h.ID), Fields: make(map[string]any, len(h.Values))}
		for name, values := range h.Values {
			d.Fields[name] = textsOf(values)
		}
		if err := t.Add(d); err != nil {
			return false, err
		}
		found[d.ID] = true
	}
	for _, id := range ids {
		switch {
		case found[id]:
		case a.Partial:
			return false, unavailable(errMissingLike)
		default:
			return false, x.Like.Missing(id)
		}
	}
	return a.Partial, nil
}

var errMissingLike = errors.New("a document that others are to be like is not in the shards that are there")

// textsOf returns the values that a hit has in a field of text or keywords.
func textsOf(values []any) (all []string) {
	for _, v := range values {
		if t, ok := v.(httpapi.Text); ok {
			all = append(all, string(t))
		}
	}
	return all
}
