package engine

import (
	"context"
	"time"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/topk"
	"github.com/pinion-index/pinion/internal/indexdir"
)

// search collects the hits of the query in r.Top.
func (r *execution) search() error {
	t := r.Trace
	start := t.Now()
	if err := (resolving{r}).resolve(); err != nil {
		return err
	}
	if t != nil {
		t.Resolve = time.Since(start)
		defer func() { t.Search = time.Since(start) - t.Resolve }()
	}
	return r.compute()
}

// pass computes And or Or over all segments into r.Top.
func (r *execution) pass(conjunctive bool) error {
	r.Sure = false
	r.attempt(conjunctive)
	if r.Err == nil && !r.Verified() {
		r.Sure = true
		r.Trace.ForgetThresholds()
		r.attempt(conjunctive)
	}
	return r.Err
}

// attempt is pass with thresholds that are proven only if r.Sure.
func (r *execution) attempt(conjunctive bool) {
	r.Guess = -1
	r.Top.Reset(r.maxHits(), r.addends())
	r.Top.Delay()
	r.Partial.Reset(r.Top.K)
	if conjunctive && (resolving{r}).unknown() {
		return
	}
	for p := range r.s.parts {
		if r.enter(p, conjunctive) {
			r.Execute(r.Run.Plan(conjunctive))
		}
		if r.Err != nil {
			return
		}
	}
}

// maxHits returns the lesser of k and the number of documents, which bounds the memory for hits.
func (r *execution) maxHits() int {
	return int(min(uint64(r.q.K), max(r.s.docs, 1)))
}

// AppendHits appends the hits of q to dst, the best first, and returns the total of the matches if q asks for it. It
// records what it does in t, unless that is nil.
func AppendHits[H topk.AnyHit](ctx context.Context, s *Searcher, dst []H, q *Query, t *algorithm.Trace) (hits []H, total uint64, err error) {
	r, err := s.answer(ctx, q, t)
	if r == nil {
		return dst, 0, err
	}
	hits, total = topk.Append(dst, &r.Top), r.total
	r.giveBack()
	return hits, total, nil
}

// AppendColumns is AppendHits for a query that wants columns.
func AppendColumns[H topk.AnyHit](ctx context.Context, s *Searcher, dst []H, q *Query, t *algorithm.Trace) (hits []H, total uint64, x *Extra, err error) {
	r, err := s.answer(ctx, q, t)
	if r == nil {
		return dst, 0, nil, err
	}
	hits, total, x = appendSorted(dst, &r.Top, r.extra), r.total, r.extra
	r.giveBack()
	return hits, total, x, nil
}

// appendSorted appends the hits of t, or those of x if that has some.
func appendSorted[H topk.AnyHit](dst []H, t *topk.TopK, x *Extra) []H {
	if x == nil || x.Sorted == nil {
		return topk.Append(dst, t)
	}
	for i := range x.Sorted {
		dst = append(dst, H(topk.Hit{Doc: uint32(x.Sorted[i].Doc), Score: x.Sorted[i].Score}))
	}
	return dst
}

// answer returns a run that holds the hits of q, or nil if there are none.
func (s *Searcher) answer(ctx context.Context, q *Query, t *algorithm.Trace) (done *execution, err error) {
	if err = s.hold(); err != nil {
		return nil, err
	}
	defer s.release()
	var r *execution
	defer func() { r.blame(&err) }()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if q.empty() {
		return nil, nil
	}
	r = s.execution()
	r.begin(ctx, s, q)
	r.Trace = t
	err = r.search()
	done, r = r, nil
	if err != nil {
		done.giveBack()
		return nil, err
	}
	return done, nil
}
