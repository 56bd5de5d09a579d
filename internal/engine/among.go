package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/engine/topk"
	"github.com/pinion-index/pinion/internal/indexdir"
)

// AppendAmong is AppendHits for a conjunction whose matches are known to be among docs; see
// search.Searcher.SearchAmong.
func AppendAmong[H topk.AnyHit](ctx context.Context, s *Searcher, dst []H, q *Query, docs []uint32, held int, t *algorithm.Trace) ([]H, error) {
	r, err := s.among(ctx, q, docs, held, t)
	if r == nil {
		return dst, err
	}
	hits := topk.Append(dst, &r.Top)
	r.giveBack()
	return hits, nil
}

// among returns a run that holds the hits of AppendAmong, or nil if there are none.
func (s *Searcher) among(ctx context.Context, q *Query, docs []uint32, held int, t *algorithm.Trace) (done *execution, err error) {
	if q.Mode != And || q.Filter != nil || q.Columns != nil || held < 0 {
		return nil, fmt.Errorf("%w: %d terms of a query of mode %d are done: only And without a filter or columns can be continued", ErrInvalid, held, q.Mode)
	}
	for i := 1; i < len(docs); i++ {
		if docs[i-1] >= docs[i] {
			return nil, fmt.Errorf("%w: document %d of the intermediate result is not above the one before", ErrInvalid, i)
		}
	}
	if err = s.hold(); err != nil {
		return nil, err
	}
	defer s.release()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if q.empty() {
		return nil, nil
	}
	r := s.execution()
	r.begin(ctx, s, q)
	r.Trace = t
	if err = r.searchAmong(docs, held); err != nil {
		r.giveBack()
		return nil, err
	}
	return r, nil
}

var errAmong = fmt.Errorf("%w: a query with a filter cannot be continued", ErrInvalid)

// searchAmong is search for AppendAmong.
func (r *execution) searchAmong(docs []uint32, held int) error {
	t := r.Trace
	start := t.Now()
	if err := (resolving{r}).resolve(); err != nil {
		return err
	}
	if r.q.Filter != nil || r.words.Columns != nil {
		return errAmong
	}
	if t != nil {
		t.Resolve = time.Since(start)
		defer func() { t.Search = time.Since(start) - t.Resolve }()
	}
	r.Top.Reset(r.maxHits(), r.addends())
	r.Top.Delay()
	r.Partial.Reset(r.Top.K)
	for p := 0; p < len(r.s.parts) && !(resolving{r}).unknown() && len(docs) > 0; p++ {
		seg := r.parts()[p].Seg
		n := len(docs)
		if to := uint64(seg.Base()) + uint64(seg.Docs()); to < posting.End {
			n = posting.LowerBound(docs, uint32(to))
		}
		if n > 0 && r.enter(p, true) {
			r.Among(docs[:n], min(held, len(r.Lists)))
			r.Settle()
			r.Record(algorithm.BlockMaxAnd)
		}
		docs = docs[n:]
		if r.Err != nil {
			return r.Err
		}
	}
	r.Top.Trim()
	r.Top.Order()
	return r.tieError()
}
