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
	if q = &own; q.K == 0 || q.ByFields() {
		if err := s.complete(q); err != nil {
			return r, false, err
		}
	}
	if err := s.valid(ctx, q); err != nil {
		return r, false, err
	}
	why := Lone(q)
	if why == OnDevice { // otherwise the CPU answers all
		o, err := s.outlook(q)
		if err != nil || o.choice != StepCPU {
			return r, false, err
		}
		why = o.why
	}
	s.left[why].Add(1)
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
	o, err := s.outlook(q)
	if err != nil || o.why == reasonEmpty {
		return search.Result{}, err
	}
	if o.choice == StepCPU {
		return s.byOutlook(ctx, q, o, t)
	}
	p, err := s.resolve(q, o, t)
	if err != nil {
		return search.Result{}, err
	}
	switch {
	case p.done:
		return search.Result{}, nil
	case p.why != OnDevice:
		return s.onCPU(ctx, q, t, StepState{}, p.why)
	case len(p.weights) == kernels.MaxTerms: // an intermediate result is one more
		return s.onCPU(ctx, q, t, StepState{}, reasonTerms)
	}
	w := &stepping{s: s, ctx: ctx, q: *q, p: p, t: t, done: 1}
	if p.ask != nil {
		return s.asked(ctx, q, p, t)
	}
	if p.whole() {
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
	if p.hits = r.Hits; err == nil && p.next() {
		return s.whole(ctx, q, p, t)
	}
	return r, err
}

// byOutlook answers a query on the CPU.
func (s *Stepper) byOutlook(ctx context.Context, q *search.Query, o outlook, t *StepTrace) (search.Result, error) {
	if o.why == ReasonNoDevice {
		t.failed(s.x.Err())
	}
	if t == nil && o.state.Terms > 0 && !q.Total {
		hits, err := s.cpu.AppendHits(ctx, nil, q)
		return search.Result{Hits: hits}, err
	}
	if t != nil {
		_, _ = s.resolve(q, o, t) // the Searcher says what is wrong
	}
	return s.onCPU(ctx, q, t, o.state, o.why)
}

// asked answers a query under a filter or with static scores, on the GPU if it has these or makes them now.
func (s *Stepper) asked(ctx context.Context, q *search.Query, p *plan, t *StepTrace) (search.Result, error) {
	a := &asking{x: s.x}
	defer a.free()
	if err := a.give(ctx, []*plan{p}); err != nil {
		return search.Result{}, err
	}
	if p.why != OnDevice {
		return s.onCPU(ctx, q, t, StepState{}, p.why)
	}
	return s.whole(ctx, q, p, t)
}

// whole answers a disjunction, or any query as a whole, on the GPU if its lists are there and long.
func (s *Stepper) whole(ctx context.Context, q *search.Query, p *plan, t *StepTrace) (search.Result, error) {
	own, state, missing := s.wholeOf(q, p)
	if missing > 0 {
		s.miss(p, &own, state)
	}
	choice, why := s.chooseWhole(&own, state, missing)
	if choice == StepCPU {
		return s.onCPU(ctx, &own, t, state, why)
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
	case p.why == OnDevice:
		return search.Result{Hits: p.hits, Total: p.total}, nil
	case failed != nil:
		t.failed(failed)
		return s.onCPU(ctx, &own, t, state, failure(failed))
	}
	return s.onCPU(ctx, &own, t, state, p.why)
}
