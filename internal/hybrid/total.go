package hybrid

import (
	"cmp"
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Count returns the number of documents that match q, as Searcher.Count does. The CPU counts.
func (x *Executor) Count(ctx context.Context, q search.Query) (uint64, error) {
	if x.cpu == nil || x.gate.ended.Load() {
		return 0, ErrClosed
	}
	return x.cpu.Count(ctx, q)
}

// uncounted is the total of a result for which the CPU is to count: a GPU has not found the hits.
const uncounted = math.MaxUint64

// searchTotal is Search for a query that asks for its total.
func (x *Executor) searchTotal(ctx context.Context, q search.Query) (r search.Result, err error) {
	if err := q.CheckPart(x.ofPart); err != nil {
		return r, err
	}
	if r, err = x.search(ctx, q); err == nil && r.Total == uncounted {
		q.Total = false
		r.Total, err = x.total(ctx, &q, len(r.Hits))
	}
	if err != nil {
		return search.Result{}, err
	}
	return r, nil
}

// total returns the number of documents that match q, for which there are hits: if these are fewer than there may be,
// they are all. It is an error for a node of mode and-or, as on the CPU, whatever the number of hits.
func (x *Executor) total(ctx context.Context, q *search.Query, hits int) (uint64, error) {
	if q.After == nil && hits < cmp.Or(q.K, query.DefaultK) && !search.HasAndOr(q.Node) {
		return uint64(hits), nil
	}
	return x.Count(ctx, *q)
}

// wantsTotal reports whether q asks for its total.
func wantsTotal(q search.Query) bool { return q.Total }

// executeTotals is ExecuteInto for queries of which some ask for their totals.
func (x *Executor) executeTotals(ctx context.Context, queries []search.Query, a *search.Arena) ([]search.Result, error) {
	for i := range queries {
		if err := queries[i].CheckPart(x.ofPart); err != nil {
			return nil, &search.NumberError{Number: i, Err: err}
		}
	}
	results, err := x.execute(ctx, queries, a)
	if err != nil {
		return nil, err
	}
	var next atomic.Int64
	var failed atomic.Pointer[search.NumberError]
	var all sync.WaitGroup
	for range min(x.workers, len(queries)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(queries) && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				if results[i].Total != uncounted {
					continue
				}
				n, err := x.total(ctx, &queries[i], len(results[i].Hits))
				if err != nil {
					failed.CompareAndSwap(nil, &search.NumberError{Number: i, Err: err})
				}
				results[i].Total = n
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return nil, err
	}
	return results, nil
}
