package gpu

import (
	"context"
	"errors"

	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Search answers one query as Searcher.Search does. t, unless nil, is overwritten with a record of
// what ran where. If the device fails, the CPU answers this query and, unless the device was only
// out of memory, all that follow.
func (s *Stepper) Search(ctx context.Context, q search.Query, t *StepTrace) (search.Result, error) {
	if s.x == nil {
		return search.Result{}, ErrClosed
	}
	ctx = orBackground(ctx)
	if err := s.complete(&q); err != nil {
		return search.Result{}, err
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

// OnCPU answers q if all of it is the CPU's, whatever lists are on the device, or if it has a Query.Filter. Otherwise ok is
// false, and Search decides. ok is also false after an error.
func (s *Stepper) OnCPU(ctx context.Context, q *search.Query) (r search.Result, ok bool, err error) {
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
	if asks(q) && q.Filter == nil && !onlyCPU(q) && !s.x.tied && s.x.state.works.Load() { // otherwise the CPU answers all
		state, steps, err := s.outlook(q)
		if err != nil || steps && s.begin(q, state) != StepCPU {
			return r, false, err
		}
	}
	own.Trace = false
	r, err = s.cpu.Search(ctx, own)
	return r, err == nil, err
}

func (s *Stepper) search(ctx context.Context, q *search.Query, t *StepTrace) (search.Result, error) {
	if err := s.valid(ctx, q); err != nil {
		return search.Result{}, err
	}
	if err := s.x.enter(); err != nil {
		return search.Result{}, err
	}
	defer s.x.leave()
	if !s.x.state.works.Load() {
		t.failed(s.x.Err())
		return s.onCPU(ctx, q, t, StepState{}, "no device")
	}
	if onlyCPU(q) {
		return s.onCPU(ctx, q, t, StepState{}, "not supported on the device")
	}
	if s.x.tied {
		return s.onCPU(ctx, q, t, StepState{}, "docIDs do not order equal scores")
	}
	if !asks(q) {
		return search.Result{}, nil
	}
	state, steps, err := s.outlook(q)
	switch {
	case err != nil:
		return search.Result{}, err
	case !steps:
		return s.onCPU(ctx, q, t, state, "not an Or over fields")
	}
	switch begin := s.begin(q, state); {
	case begin == StepCPU && t == nil:
		hits, err := s.cpu.AppendHits(ctx, nil, q)
		return search.Result{Hits: hits}, err
	case begin == StepCPU:
		if p, err := s.resolve(q); err == nil {
			t.name(s, &stepping{s: s, q: *q, p: p})
		}
		_, why := s.chooseFor(q, state)
		return s.onCPU(ctx, q, t, state, why)
	}
	p, err := s.resolve(q)
	if err != nil {
		return search.Result{}, err
	}
	switch {
	case p.done:
		return search.Result{}, nil
	case p.cpu || len(p.weights) == kernels.MaxTerms:
		return s.onCPU(ctx, q, t, StepState{}, "not supported on the device")
	}
	w := &stepping{s: s, ctx: ctx, q: *q, p: p, t: t, done: 1}
	t.name(s, w)
	if p.ask != nil {
		return s.asked(ctx, q, p, t)
	}
	if p.mode == query.ModeOr {
		return s.whole(ctx, q, p, t)
	}
	w.q.Mode = query.ModeAnd
	r, err := w.run()
	if w.st != nil {
		if err == nil && s.x.state.short.Load() != 0 {
			_ = s.x.settle(nil, nil)
		}
		s.x.stages.Give(w.st)
	}
	if err == nil && q.Mode == query.ModeAndOr && len(r.Hits) < p.k {
		p.hits, p.mode = nil, query.ModeOr
		return s.whole(ctx, q, p, t)
	}
	return r, err
}

// asked answers a query under a filter or with static scores, on the GPU if it has these or makes them now.
func (s *Stepper) asked(ctx context.Context, q *search.Query, p *plan, t *StepTrace) (search.Result, error) {
	e := &execution{x: s.x, ctx: ctx}
	defer e.free()
	if err := e.give([]*plan{p}); err != nil {
		return search.Result{}, err
	}
	if p.cpu {
		return s.onCPU(ctx, q, t, StepState{}, "the filter or the static scores are not resident")
	}
	return s.whole(ctx, q, p, t)
}

// whole answers a disjunction, or any query as a whole, on the GPU if its lists are there and long.
func (s *Stepper) whole(ctx context.Context, q *search.Query, p *plan, t *StepTrace) (search.Result, error) {
	own := *q
	views := len(s.x.docs.Views)
	s.x.lists.Look(wanted(p.lists))
	missing := p.missing(0, len(p.weights), views)
	state := StepState{Done: 1, Terms: len(p.weights), Missing: missing, Rest: missing}
	if p.mode == query.ModeOr {
		own.Mode, state.Or, state.Length = query.ModeOr, true, p.weight.all
	} else if state.Length = p.length(0, views); len(p.weights) > 1 {
		state.Next = p.length(1, views)
	}
	if missing > 0 {
		s.miss(p, &own, state)
	}
	if s.o.Load {
		state.Missing, state.Rest = 0, 0
	}
	choice, why := s.chooseFor(&own, state)
	switch {
	case choice == StepCPU:
		return s.onCPU(ctx, &own, t, state, why)
	case missing > 0 && !s.o.Load:
		return s.onCPU(ctx, &own, t, state, "not resident")
	}
	done := t.step(Step{Choice: StepRest, Whole: true, State: state, Why: why})
	err := s.x.answer(ctx, []*plan{p})
	t.loaded(max(missing-p.missing(0, len(p.weights), len(s.x.docs.Views)), 0))
	done(int64(len(p.hits)))
	if err != nil {
		return search.Result{}, err // Search settles it
	}
	_ = s.x.settle(nil, nil)
	switch failed := s.x.Err(); {
	case !p.cpu:
		return search.Result{Hits: p.hits}, nil
	case failed != nil:
		t.failed(failed)
		return s.onCPU(ctx, &own, t, state, failure(failed))
	case p.misfit:
		return s.onCPU(ctx, &own, t, state, "did not fit")
	}
	return s.onCPU(ctx, &own, t, state, "not supported on the device")
}

// name sets Terms.
func (t *StepTrace) name(s *Stepper, w *stepping) {
	if t == nil {
		return
	}
	r := s.found.Get().(*resolver)
	defer s.found.Put(r)
	terms, _, _, err := r.distinct(&w.q)
	if err != nil {
		return // the query says so
	}
	s.x.lists.Look(wanted(w.p.lists))
	segs := len(s.x.docs.Views)
	terms = terms[max(len(terms)-len(w.p.weights), 0):] // the first are in no document
	for i := range terms {
		b := &terms[i]
		name := string(b.Bytes)
		if f := s.x.docs.Fields[b.Field].Name; f != "" {
			name = f + ":" + name
		}
		t.Terms = append(t.Terms, StepTerm{Term: name, Postings: w.p.length(i, segs), Resident: w.p.missing(i, i+1, segs) == 0})
	}
}

// asks reports whether q may have terms.
func asks(q *search.Query) bool { return len(q.RawTerms) > 0 || byFields(q) }
