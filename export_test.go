package pinion

import (
	"context"

	"github.com/pinion-index/pinion/internal/search"
)

// Limits sets from how many bytes on the index is asked for the words of a text, and how many bytes are analyzed otherwise.
// It returns what sets them back.
func Limits(long, most int) (restore func()) {
	l, m := longText, look
	longText, look = long, most
	return func() { longText, look = l, m }
}

// QueryOf returns a request as a query over a snapshot.
var QueryOf = queryOf

// ShowFound is Show for the hits of a search.
func (v *View) ShowFound(ctx context.Context, hits []search.Hit, r Request) (Page, error) {
	return v.pages.showHits(ctx, hits, r)
}

// CountsOf returns the counts of a request's facets.
func CountsOf(r *Request, of []search.FacetCounts) []FacetCounts { return r.counts(of) }
