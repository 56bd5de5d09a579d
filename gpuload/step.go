package gpuload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/gpuload/internal/residency"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
)

// StepOptions configure a Stepper. The zero value selects the defaults.
type StepOptions struct {
	Rule StepRule
	// Choose decides instead of Rule and Sooner, for comparisons. The answers do not depend on it. A
	// choice of the GPU is void where lists are missing and neither Load nor Rule.Load has
	// them copied.
	Choose func(StepState) StepChoice
	// Sooner predicts whether the GPU answers a disjunction sooner than a core if its lists are there, as
	// hybrid.StepOptions does. It decides on disjunctions of an eighth of Rule.Or or more; nil means
	// that Rule decides on all. It must be safe for concurrent use.
	Sooner func(q *query.Query) bool
	// Strategy intersects lists on the GPU. Auto takes MergePath where Rule says so, and
	// otherwise Probe. A strategy that merges makes every intersection a step of its own, and
	// gives way to Probe in a query of a list that it does not take.
	Strategy Strategy
	// Load copies missing lists to the device before the step that needs them, and decides
	// as if they were there. Otherwise lists are copied as Rule.Load says.
	Load bool

	sorted int // keys that are copied for the CPU to select from; set by tests only
}

// Disjunctions of less than StepRule.Or/leastPredicted postings cost a core too little for a prediction.
const leastPredicted = 8

// Stepper answers single queries on two processors, a conjunction step by step (Griffin
// 2018, section 3.2): it begins with the two shortest lists and decides before each
// intersection where it runs. Once the intermediate result has moved to the CPU, the query
// ends there. By default it decides once, for all of the query (StepRule.Each). Other queries
// are answered by one processor.
//
// It is safe for concurrent use. Its answers are those of the Searcher to the bit.
type Stepper struct {
	x       *Executor
	cpu     *query.Searcher
	o       StepOptions
	rooms   []room    // by stream; each belongs to the query that has the stream's stage
	found   sync.Pool // of *resolver
	behind  sync.WaitGroup
	full    atomic.Bool               // no lists are copied behind queries any more
	mu      sync.Mutex                // guards the fields below
	ruler   kernels.Ptr               // the endpoints of blocks of intermediate results, or 0
	missed  map[residency.Key]float64 // work that queries had for want of a list on the GPU
	loading bool
	closed  bool
}

// room is device memory for two intermediate results: the current one and the next.
type room struct {
	at   [2]kernels.Ptr
	size int64 // of each, in docIDs
}

// NewStepper returns a Stepper over the snapshot of x and cpu, which must have the same parameters.
// It retains cpu; close it before x. The error matches ErrClosed if x or cpu is closed, and
// query.ErrInvalid if one is nil, they are of different snapshots or an option is invalid.
func NewStepper(x *Executor, cpu *query.Searcher, o StepOptions) (*Stepper, error) {
	if o.Strategy >= strategyCount {
		return nil, fmt.Errorf("%w: gpuload: no %v", query.ErrInvalid, o.Strategy)
	}
	if x == nil || cpu == nil {
		return nil, fmt.Errorf("%w: a stepper takes a GPU's executor and a searcher", query.ErrInvalid)
	}
	if err := x.enter(); err != nil {
		return nil, err
	}
	defer x.leave()
	if x.snapshot != nil && !x.Serves(cpu) {
		return nil, fmt.Errorf("%w: a stepper over two snapshots", query.ErrInvalid)
	}
	cpu, err := cpu.Retain()
	if err != nil {
		return nil, err
	}
	o.Rule.setDefaults()
	s := &Stepper{x: x, cpu: cpu, o: o, rooms: make([]room, len(x.stages)), missed: map[residency.Key]float64{}}
	s.found.New = func() any { return &resolver{x: x} }
	if o.sorted == 0 {
		s.o.sorted = maxSorted
	}
	if o.Choose == nil {
		s.o.Choose = o.Rule.Choose
	} else {
		s.o.Sooner = nil
	}
	return s, nil
}

// Close waits for lists that are being loaded and frees the device memory of intermediate
// results. No Search may be in progress. Further calls do nothing.
func (s *Stepper) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	s.behind.Wait()
	if closed {
		return nil
	}
	if s.x == nil {
		return nil
	}
	errs := []error{s.cpu.Close()}
	for _, r := range s.rooms {
		for _, p := range r.at {
			if p != 0 {
				errs = append(errs, s.x.dev.Free(p))
			}
		}
	}
	if s.ruler != 0 {
		errs = append(errs, s.x.dev.Free(s.ruler))
	}
	return errors.Join(errs...)
}

// failure says why the device does not answer, for a Step.
func failure(err error) string {
	if errors.Is(err, ErrMemory) {
		return "out of device memory"
	}
	return "the device failed"
}

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
	if q = &own; q.K == 0 || q.Text != "" {
		if err := s.complete(q); err != nil {
			return r, false, err
		}
	}
	if err := s.valid(ctx, q); err != nil {
		return r, false, err
	}
	if len(q.RawTerms) > 0 && q.Filter == nil && s.x.state.works.Load() { // otherwise the CPU answers all
		state, err := s.outlook(q)
		if err != nil || s.begin(q, state) != StepCPU {
			return r, false, err
		}
	}
	r.Hits, err = s.cpu.AppendHits(ctx, nil, q)
	return r, err == nil, err
}

// valid returns the error of a query that nobody answers.
func (s *Stepper) valid(ctx context.Context, q *query.Query) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return q.Check()
}

// complete gives q what it leaves to defaults.
func (s *Stepper) complete(q *query.Query) error {
	own, err := s.cpu.Complete([]query.Query{*q})
	if err != nil {
		return errors.Unwrap(err)
	}
	*q = own[0]
	return nil
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

// choose decides on a step. The reason is empty if StepOptions.Choose decided otherwise than Rule
// would have.
func (s *Stepper) choose(state StepState) (StepChoice, string) {
	choice := s.o.Choose(state)
	if byRule, why := s.o.Rule.choose(state); byRule == choice {
		return choice, why
	}
	return choice, ""
}

// resolve makes the plan of a query.
func (s *Stepper) resolve(q *query.Query) (*plan, error) {
	r := s.found.Get().(*resolver)
	defer s.found.Put(r)
	own := *q
	own.Trace = false // the device refuses queries with a trace
	p := new(plan)
	return p, r.resolve(p, &own)
}

// outlook describes a query with terms as if its lists were on the device. Most queries are the CPU's
// whatever is there.
func (s *Stepper) outlook(q *query.Query) (StepState, error) {
	var room [16]uint64
	lengths, err := s.cpu.AppendLengths(room[:0], q.RawTerms)
	if err != nil {
		return StepState{}, err
	}
	state, sum := StepState{Done: 1}, uint64(0)
	for i, n := range lengths {
		if slices.ContainsFunc(q.RawTerms[:min(i, 64)], func(b []byte) bool { return bytes.Equal(b, q.RawTerms[i]) }) {
			continue // it counts once, unless there are many
		}
		state.Terms++
		sum += n
		switch n := int64(n); {
		case state.Terms == 1:
			state.Length = n
		case n < state.Length:
			state.Length, state.Next = n, state.Length
		case state.Terms == 2 || n < state.Next:
			state.Next = n
		}
	}
	if q.Mode == query.Or {
		state.Or, state.Length, state.Next = true, int64(sum), 0
	}
	return state, nil
}

// chooseFor is choose for the first step of a query.
func (s *Stepper) chooseFor(q *query.Query, state StepState) (StepChoice, string) {
	if !state.Or || s.o.Sooner == nil || state.Length < s.o.Rule.Or/leastPredicted {
		return s.choose(state)
	}
	switch {
	case !s.o.Sooner(q):
		return StepCPU, "predicted"
	case state.Rest > 0:
		return StepCPU, "not resident"
	}
	return StepRest, "predicted"
}

// begin is the choice of chooseFor.
func (s *Stepper) begin(q *query.Query, state StepState) StepChoice {
	if !state.Or {
		return s.o.Choose(state)
	}
	choice, _ := s.chooseFor(q, state)
	return choice
}

// onCPU answers a query on the CPU alone.
func (s *Stepper) onCPU(ctx context.Context, q *query.Query, t *StepTrace, state StepState, why string) (query.Result, error) {
	done := t.step(Step{Choice: StepCPU, Whole: true, State: state, Why: why})
	r, err := s.cpu.Search(ctx, *q)
	t.onCPU(&r)
	done(int64(len(r.Hits)))
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

// missing returns the number of postings of the plan's terms from up to to that are not on
// the device.
func (p *plan) missing(from, to, segments int) (n int64) {
	for o := range absent(p.lists[from*segments : to*segments]) {
		n += int64(o.n)
	}
	return n
}

// length returns the number of postings of a plan's term.
func (p *plan) length(term, segments int) (n int64) {
	for i := term * segments; i < (term+1)*segments; i++ {
		n += int64(p.lists[i].n)
	}
	return n
}

// takeStage waits for a stage and starts an epoch, during which no list that it uses is
// evicted.
func (x *Executor) takeStage(ctx context.Context) (*stage, error) {
	var st *stage
	select {
	case st = <-x.idle:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	x.mu.Lock() // oldest must see the epoch
	x.epoch++
	st.epoch = x.epoch
	x.mu.Unlock()
	return st, nil
}

// giveBack ends the epoch of a stage that takeStage returned.
func (x *Executor) giveBack(st *stage) {
	x.mu.Lock()
	st.epoch = 0
	x.mu.Unlock()
	x.idle <- st
}
