package pinion

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Executor answers searches in place of the CPU: Options.Executor, ReaderOptions.Executor and NewView take one. That of package
// gpuload answers on CPU and GPU. What an Executor answers is what the CPU would, scores included. It is safe for concurrent use,
// and outlives what uses it.
type Executor interface {
	// Execute answers requests over a snapshot: found[i] is the page of requests[i], or nil for one that it does not take,
	// which the CPU answers. It takes only what it knows: a Query may have nodes of later versions, and the first requests over a
	// snapshot may come before it is ready for that. It must return soon after ctx has ended.
	//
	// Of a request only Query, Limit, After, Sort, Collapse, Static, K1, B, Scorer, Total and Facets are set. Query is never nil, and has the
	// Filter in it. Limit is never 0. What a later version adds to requests is set only for an Executor with
	// a method of that version which tells that it knows it.
	//
	// Of a page, Hits with their Doc, Score and Sort count, Limited and Approximate, and Total and Facets where they are asked for.
	//
	// The snapshot is open until Execute returns; Retain keeps it for longer. Requests are not changed, nor kept. An error, or a
	// page that cannot be one, says that nothing was answered: the CPU answers, unless ctx has ended, and Options.Observe is told.
	Execute(ctx context.Context, s *reader.Snapshot, requests []Request) (found []*Page, err error)
}

// PartExecutor is an Executor that also answers for parts of collections: View.SearchPart asks it.
type PartExecutor interface {
	Executor
	// ExecutePart answers a request as Execute does, as the part of a collection that of says: its statistics are those that scores
	// follow from, and its After is where the document of r.After is.
	ExecutePart(ctx context.Context, s *reader.Snapshot, r Request, of Part) (found *Page, err error)
}

// execute returns the page that the Executor has for a request, or nil if it has none. Of the hits it has what Execute says.
func (s *pager) execute(ctx context.Context, r *Request) (*Page, error) {
	pages, err := s.executeAll(ctx, []Request{*r})
	if err != nil {
		return nil, err
	}
	return pages[0], nil
}

// executeAll is execute for several requests at once, without Fuse and Rescore.
func (s *pager) executeAll(ctx context.Context, requests []Request) ([]*Page, error) {
	found := make([]*Page, len(requests))
	if s.executor == nil {
		return found, nil
	}
	asked := make([]Request, len(requests))
	for i := range requests {
		if requests[i].later() {
			return found, nil
		}
		asked[i] = s.asked(&requests[i])
	}
	pages, err := s.executor.Execute(ctx, s.snapshot, asked)
	if err == nil && len(pages) != len(asked) {
		err = fmt.Errorf("%d pages for %d requests", len(pages), len(asked))
	}
	if err != nil {
		_, err = s.executed(ctx, nil, nil, err)
		return found, err
	}
	for i, p := range pages {
		if found[i], err = s.executed(ctx, &asked[i], p, nil); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// executePart is execute for a part of a collection.
func (s *pager) executePart(ctx context.Context, r *Request, of Part) (*Page, error) {
	x, ok := s.executor.(PartExecutor)
	if !ok || r.later() {
		return nil, nil
	}
	asked := s.asked(r)
	found, err := x.ExecutePart(ctx, s.snapshot, asked, of)
	return s.executed(ctx, &asked, found, err)
}

// later reports whether r asks for what no Executor knows: facets with more than counts.
func (r *Request) later() bool {
	return slices.ContainsFunc(r.Facets, func(f Facet) bool {
		return f.Field == "" || f.IgnoreOwn || len(f.Stats)+len(f.Facets) > 0
	})
}

// asked returns what an Executor is asked for a request.
func (s *pager) asked(r *Request) Request {
	return Request{Query: r.Node(), Limit: cmp.Or(r.Limit, query.DefaultK) + r.Offset, After: r.After, Sort: r.Sort, Collapse: r.Collapse,
		Static: r.Static, K1: cmp.Or(r.K1, s.params.K1), B: cmp.Or(r.B, s.params.B), Scorer: cmp.Or(r.Scorer, s.params.Scorer), Total: r.Total, Facets: r.Facets}
}

// executed returns the page that an Executor has returned, or nil if the CPU is to answer.
func (s *pager) executed(ctx context.Context, asked *Request, found *Page, err error) (*Page, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil && found != nil {
		err = s.possible(asked, found)
	}
	if err == nil {
		return found, nil
	}
	if s.failed != nil {
		s.failed(fmt.Errorf("executor %T: %w", s.executor, err))
	}
	return nil, nil
}

// possible returns why p cannot be the page of a request.
func (s *pager) possible(r *Request, p *Page) error {
	switch {
	case len(p.Hits) > r.Limit:
		return fmt.Errorf("%d hits of at most %d", len(p.Hits), r.Limit)
	case len(p.Facets) != len(r.Facets):
		return fmt.Errorf("%d of %d facets", len(p.Facets), len(r.Facets))
	}
	for _, h := range p.Hits {
		if len(h.Sort) != len(r.Sort) {
			return fmt.Errorf("a hit with %d values of %d that it is sorted by", len(h.Sort), len(r.Sort))
		}
		if _, _, ok := s.snapshot.Locate(h.Doc); !ok {
			return fmt.Errorf("a hit with docID %d, which no document has", h.Doc)
		}
	}
	return nil
}
