package gpuload

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
)

// Search answers one query as Searcher.Search does. t, unless nil, is overwritten with a record of
// what ran where. If the device fails, the CPU answers this query and, unless the device was only
// out of memory, all that follow.
func (s *Stepper) Search(ctx context.Context, q query.Query, t *StepTrace) (query.Result, error) {
	if s.x == nil {
		return query.Result{}, ErrClosed
	}
	ctx = orBackground(ctx)
	if err := s.complete(&q); err != nil {
		return query.Result{}, err
	}
	t.begin(&q)
	r, err := s.search(ctx, &q, t)
	if err != nil && (errors.Is(err, ErrDevice) || errors.Is(err, ErrMemory)) {
		t.failed(err)
		_ = s.x.settle(nil, err)
		r, err = s.onCPU(ctx, &q, t, StepState{}, failure(err))
	}
	t.end()
	return r, err
}

// OnCPU answers q if all of it is the CPU's, whatever lists are on the device. Otherwise ok is false, and Search
// decides. ok is also false after an error.
func (s *Stepper) OnCPU(ctx context.Context, q *query.Query) (r query.Result, ok bool, err error) {
	if s.x == nil {
		return r, false, ErrClosed
	}
	own := *q
	if q = &own; q.K == 0 || q.Text != "" || q.Node != nil {
		if err := s.complete(q); err != nil {
			return r, false, err
		}
	}
	if err := s.valid(ctx, q); err != nil {
		return r, false, err
	}
	if len(q.RawTerms) > 0 && q.Filter == nil && plain(q) && s.x.state.works.Load() { // otherwise the CPU answers all
		state, err := s.outlook(q)
		if err != nil || s.begin(q, state) != StepCPU {
			return r, false, err
		}
	}
	r.Hits, err = s.cpu.AppendHits(ctx, nil, q)
	return r, err == nil, err
}

func (s *Stepper) search(ctx context.Context, q *query.Query, t *StepTrace) (query.Result, error) {
	if err := s.valid(ctx, q); err != nil {
		return query.Result{}, err
	}
	if err := s.x.enter(); err != nil {
		return query.Result{}, err
	}
	defer s.x.leave()
	if !s.x.state.works.Load() {
		t.failed(s.x.Err())
		return s.onCPU(ctx, q, t, StepState{}, "no device")
	}
	if !plain(q) {
		return s.onCPU(ctx, q, t, StepState{}, "not supported on the device")
	}
	if len(q.RawTerms) == 0 {
		return query.Result{}, nil
	}
	state, err := s.outlook(q)
	if err != nil {
		return query.Result{}, err
	}
	switch begin := s.begin(q, state); {
	case begin == StepCPU && t == nil:
		hits, err := s.cpu.AppendHits(ctx, nil, q)
		return query.Result{Hits: hits}, err
	case begin == StepCPU:
		if p, err := s.resolve(q); err == nil {
			t.name(s, &stepping{s: s, q: *q, p: p})
		}
		_, why := s.chooseFor(q, state)
		return s.onCPU(ctx, q, t, state, why)
	}
	p, err := s.resolve(q)
	if err != nil {
		return query.Result{}, err
	}
	switch {
	case p.done:
		return query.Result{}, nil
	case p.cpu || len(p.weights) == kernels.MaxTerms:
		return s.onCPU(ctx, q, t, StepState{}, "not supported on the device")
	}
	w := &stepping{s: s, ctx: ctx, q: *q, p: p, t: t, done: 1}
	t.name(s, w)
	if p.mode == query.Or {
		return s.whole(ctx, q, p, t)
	}
	w.q.Mode = query.And
	r, err := w.run()
	if w.st != nil {
		if err == nil && s.x.state.short.Load() != 0 {
			_ = s.x.settle(nil, nil)
		}
		s.x.giveBack(w.st)
	}
	if err == nil && q.Mode == query.AndOr && len(r.Hits) < p.k {
		p.hits, p.mode = nil, query.Or
		return s.whole(ctx, q, p, t)
	}
	return r, err
}

// whole answers a disjunction, on the GPU if its lists are there and long.
func (s *Stepper) whole(ctx context.Context, q *query.Query, p *plan, t *StepTrace) (query.Result, error) {
	or := *q
	or.Mode = query.Or
	s.x.lists.Look(wanted(p.lists))
	missing := p.missing(0, len(p.weights), len(s.x.views))
	state := StepState{Done: 1, Terms: len(p.weights), Or: true, Missing: missing, Rest: missing}
	for i := range p.weights {
		state.Length += p.length(i, len(s.x.views))
	}
	if missing > 0 {
		s.miss(p, &or, state)
	}
	if s.o.Load {
		state.Missing, state.Rest = 0, 0
	}
	choice, why := s.chooseFor(&or, state)
	switch {
	case choice == StepCPU:
		return s.onCPU(ctx, &or, t, state, why)
	case missing > 0 && !s.o.Load:
		return s.onCPU(ctx, &or, t, state, "not resident")
	}
	done := t.step(Step{Choice: StepRest, Whole: true, State: state, Why: why})
	err := s.x.answer(ctx, []*plan{p})
	t.loaded(max(missing-p.missing(0, len(p.weights), len(s.x.views)), 0))
	done(int64(len(p.hits)))
	if err != nil {
		return query.Result{}, err // Search settles it
	}
	_ = s.x.settle(nil, nil)
	switch failed := s.x.Err(); {
	case !p.cpu:
		return query.Result{Hits: p.hits}, nil
	case failed != nil:
		t.failed(failed)
		return s.onCPU(ctx, &or, t, state, failure(failed))
	case p.misfit:
		return s.onCPU(ctx, &or, t, state, "did not fit")
	}
	return s.onCPU(ctx, &or, t, state, "not supported on the device")
}

// name sets Terms.
func (t *StepTrace) name(s *Stepper, w *stepping) {
	if t == nil {
		return
	}
	terms := slices.Clone(w.q.RawTerms)
	slices.SortFunc(terms, bytes.Compare)
	terms = slices.CompactFunc(terms, bytes.Equal)
	df := map[string]uint64{}
	for _, b := range terms {
		for _, v := range s.x.segments {
			if e, ok, err := v.Seg.Lookup(b); ok && err == nil {
				live, _ := v.Deletes.Live(v.Seg, e)
				df[string(b)] += uint64(live)
			}
		}
	}
	slices.SortStableFunc(terms, func(a, b []byte) int { return cmp.Compare(df[string(a)], df[string(b)]) })
	s.x.lists.Look(wanted(w.p.lists))
	segs := len(s.x.views)
	for i, b := range terms[max(len(terms)-len(w.p.weights), 0):] {
		t.Terms = append(t.Terms, StepTerm{Term: string(b), Postings: w.p.length(i, segs), Resident: w.p.missing(i, i+1, segs) == 0})
	}
}
