package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/store"
)

// AppendAmong is AppendHits for a conjunction whose matches are known to be among docs; see
// query.Searcher.SearchAmong.
func AppendAmong[H hit](ctx context.Context, s *Searcher, dst []H, q *Query, docs []uint32, held int, t *Trace) ([]H, error) {
	r, err := s.among(ctx, q, docs, held, t)
	if r == nil {
		return dst, err
	}
	hits := appendHits(dst, &r.top)
	r.forget()
	s.runs.Put(r)
	return hits, nil
}

// among returns a run that holds the hits of AppendAmong, or nil if there are none.
func (s *Searcher) among(ctx context.Context, q *Query, docs []uint32, held int, t *Trace) (done *run, err error) {
	if q.Mode != And || q.Filter != nil || held < 0 {
		return nil, fmt.Errorf("%w: %d terms of a query of mode %d are done: only And without a filter can be continued", ErrInvalid, held, q.Mode)
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
	defer store.CatchFault(store.ArmFault(), &err)
	if q.empty() {
		return nil, nil
	}
	r := s.runs.Get().(*run)
	r.begin(ctx, s, q)
	r.trace = t
	if err = r.searchAmong(docs, held); err != nil {
		r.forget()
		s.runs.Put(r)
		return nil, err
	}
	return r, nil
}

// searchAmong is search for AppendAmong.
func (r *run) searchAmong(docs []uint32, held int) error {
	t := r.trace
	start := t.now()
	if err := r.resolve(); err != nil {
		return err
	}
	if t != nil {
		t.Resolve = time.Since(start)
		defer func() { t.Search = time.Since(start) - t.Resolve }()
	}
	r.top.reset(r.maxHits(), len(r.terms))
	r.top.delay()
	r.partial.reset(r.top.k)
	for p := 0; p < len(r.s.parts) && !r.unknown() && len(docs) > 0; p++ {
		seg := r.s.parts[p].seg
		n := len(docs)
		if to := uint64(seg.Base()) + uint64(seg.Docs()); to < end {
			n = lowerBound(docs, uint32(to))
		}
		if n > 0 && r.enter(p, true) {
			r.among(docs[:n], min(held, len(r.lists)))
			r.settle()
			if t != nil {
				t.add(r, BlockMaxAnd)
			}
		}
		docs = docs[n:]
		if r.err != nil {
			return r.err
		}
	}
	r.top.trim()
	return nil
}

// amongChunk is how many documents are looked up before the threshold rises.
const amongChunk = 512

// among scores those of docs, global docIDs in the current segment, that all lists hold.
func (r *run) among(docs []uint32, held int) {
	if !r.open(len(r.lists)) {
		return
	}
	r.sumBounds()
	r.bounded = true
	m, n := &r.match, len(r.lists)
	for len(docs) > 0 && !r.stopped() {
		if r.top.prune >= r.suffix[0] {
			return
		}
		m.reset(n)
		for _, d := range docs[:min(len(docs), amongChunk)] {
			m.docs = append(m.docs, d-r.part.seg.Base())
		}
		docs = docs[len(m.docs):]
		r.Candidates += uint64(len(m.docs))
		for i := range n {
			if len(m.docs) == 0 {
				break
			}
			j := (held + i) % n
			l := r.lists[j]
			if d := r.dense(l); d != nil {
				m.findDense(l, j, d)
			} else if r.denser(l, m.docs) {
				m.findByBlock(l, j, &r.win.members)
			} else {
				m.find(l, j)
			}
			m.keepWith(j)
		}
		m.own = m.docs
		if len(m.docs) > 0 && r.err == nil {
			r.scoreMatches(m)
		}
	}
}
