package gpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
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
	Sooner func(q *search.Query) bool
	// Load copies missing lists to the device before the step that needs them, and decides
	// as if they were there. Otherwise lists are copied as Rule.Load says.
	Load bool

	sorted int // keys that are copied for the CPU to select from; set by tests only
}

// Disjunctions of less than StepRule.Or/leastPredicted postings cost a core too little for a prediction.
const leastPredicted = 8

// maxSorted is the default of StepOptions.sorted.
const maxSorted = 4096

// Stepper answers single queries on two processors, a conjunction step by step (Griffin
// 2018, section 3.2): it begins with the two shortest lists and decides before each
// intersection where it runs. Once the intermediate result has moved to the CPU, the query
// ends there. By default it decides once, for all of the query (StepRule.Each). Other queries
// are answered by one processor.
//
// It is safe for concurrent use. Its answers are those of the Searcher to the bit.
type Stepper struct {
	x       *Executor
	cpu     *search.Searcher
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
// query.ErrInvalid if one is nil, they are of different snapshots, score with the numbers of others or an option is invalid.
func NewStepper(x *Executor, cpu *search.Searcher, o StepOptions) (*Stepper, error) {
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
	if x.part || !cpu.OwnStatistics() {
		return nil, fmt.Errorf("%w: a stepper that scores with the statistics of another index", query.ErrInvalid)
	}
	cpu, err := cpu.Retain()
	if err != nil {
		return nil, err
	}
	o.Rule.setDefaults()
	s := &Stepper{x: x, cpu: cpu, o: o, rooms: make([]room, stages.Count), missed: map[residency.Key]float64{}}
	s.found.New = func() any { return &resolver{x: x} }
	if o.sorted == 0 {
		s.o.sorted = maxSorted
	}
	if o.Choose != nil {
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

// choose decides on a step.
func (s *Stepper) choose(state StepState) (StepChoice, Reason) {
	byRule, why := s.o.Rule.choose(state)
	if s.o.Choose == nil {
		return byRule, why
	}
	if choice := s.o.Choose(state); choice != byRule {
		return choice, reasonAsked
	}
	return byRule, why
}

// outlook is what is decided of a query before anything is known of what is on the device: most queries are the CPU's whatever
// is there.
type outlook struct {
	choice StepChoice
	why    Reason
	state  StepState // as if its lists were on the device; zero if that does not matter
}

// outlook decides who begins with q, which is complete.
func (s *Stepper) outlook(q *search.Query) (o outlook, err error) {
	switch o.why = demands(q); {
	case !s.x.state.works.Load():
		o.why = ReasonNoDevice
	case o.why != OnDevice:
	case s.x.tied:
		o.why = reasonTies
	case !some(q):
		o.why = reasonEmpty
	}
	if o.why != OnDevice {
		return o, nil
	}
	var room [16]uint64
	lengths, mode, flat, err := s.cpu.AppendWordLengths(room[:0], q)
	if err != nil {
		return o, err
	}
	o.state = stateOf(q, mode, lengths)
	switch {
	case !flat:
		o.why = reasonNodes
	case (q.ByFields() || s.x.docs.Fielded()) && mode != query.ModeOr:
		o.why = reasonFields
	default:
		o.choice, o.why = s.chooseFor(q, o.state)
	}
	return o, nil
}

// stateOf describes a query whose terms have lists that long, as if they were on the device.
func stateOf(q *search.Query, mode query.Mode, lengths []uint64) (state StepState) {
	sum := uint64(0)
	state.Done = 1
	for i, n := range lengths {
		if !q.ByFields() && slices.ContainsFunc(q.RawTerms[:min(i, 64)], func(b []byte) bool { return bytes.Equal(b, q.RawTerms[i]) }) {
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
	if mode == query.ModeOr {
		state.Or, state.Length, state.Next = true, int64(sum), 0
	}
	return state
}

// chooseFor is choose for the first step of a query.
func (s *Stepper) chooseFor(q *search.Query, state StepState) (StepChoice, Reason) {
	if !state.Or || s.o.Sooner == nil || state.Length < s.o.Rule.Or/leastPredicted {
		return s.choose(state)
	}
	switch {
	case !s.o.Sooner(q):
		return StepCPU, reasonSooner
	case state.Rest > 0:
		return StepCPU, reasonAbsent
	}
	return StepRest, reasonSooner
}

// first decides on the first step of a plan, by what is on the device.
func (s *Stepper) first(q *search.Query, p *plan) (StepChoice, Reason) {
	if p.dot == nil && p.ask == nil && p.mode != query.ModeOr {
		s.x.lists.Look(wanted(p.lists))
		w := stepping{s: s, q: *q, p: p, done: 1}
		state := w.state()
		choice, why := w.choose(state)
		return s.possible(state, choice, why)
	}
	own, state, missing := s.wholeOf(q, p)
	return s.chooseWhole(&own, state, missing)
}

// Plan returns the plan of q, which is not executed. If a device begins with it, the plan is that of its Executor, and the
// Stepper decides again before each step.
func (s *Stepper) Plan(ctx context.Context, q search.Query) (Plan, error) {
	if s.x == nil {
		return Plan{}, ErrClosed
	}
	if err := s.complete(&q); err != nil {
		return Plan{}, err
	}
	if err := s.valid(orBackground(ctx), &q); err != nil {
		return Plan{}, err
	}
	if err := s.x.enter(); err != nil {
		return Plan{}, err
	}
	defer s.x.leave()
	o, err := s.outlook(&q)
	if err != nil {
		return Plan{}, err
	}
	var t StepTrace
	_, err = s.resolve(&q, o, &t)
	return t.Plan, err
}

// resolve makes the plan of a query with an outlook, and describes it for t.
func (s *Stepper) resolve(q *search.Query, o outlook, t *StepTrace) (*plan, error) {
	r := s.found.Get().(*resolver)
	defer s.found.Put(r)
	own := *q
	own.Trace = false // the device refuses queries with a trace
	p := new(plan)
	err := r.resolve(p, &own)
	if err != nil || t == nil {
		return p, err
	}
	told := *p
	if !p.done && told.why == OnDevice && o.choice != StepCPU {
		o.choice, o.why = s.first(q, p)
	}
	if o.choice == StepCPU && !p.done {
		told.why = o.why
	}
	t.Plan, err = r.describe(&own, &told)
	return p, err
}

// onCPU answers a query on the CPU alone.
func (s *Stepper) onCPU(ctx context.Context, q *search.Query, t *StepTrace, state StepState, why Reason) (search.Result, error) {
	done := t.step(Step{Choice: StepCPU, Whole: true, State: state, Why: why})
	r, err := s.cpu.Search(ctx, *q)
	t.onCPU(&r)
	done(int64(len(r.Hits)))
	return r, err
}

// failure says why the device did not answer.
func failure(err error) Reason {
	if errors.Is(err, ErrMemory) {
		return reasonMemory
	}
	return reasonFailed
}

// valid returns the error of a query that nobody answers.
func (s *Stepper) valid(ctx context.Context, q *search.Query) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return q.CheckPart(false)
}

// complete gives q what it leaves to defaults.
func (s *Stepper) complete(q *search.Query) error {
	own, err := s.cpu.Complete([]search.Query{*q})
	if err != nil {
		return errors.Unwrap(err)
	}
	*q = own[0]
	return nil
}

// stepping is a conjunction on its way.
type stepping struct {
	s    *Stepper
	ctx  context.Context
	q    search.Query // its mode is And
	p    *plan
	t    *StepTrace
	st   *stages.Stage // since the first step on the GPU
	done int           // terms that the intermediate result holds
	cur  interim       // the intermediate result, once done is 2
	head []byte        // its first docIDs, in pinned memory

	loaded int64 // postings of lists that have been copied for the next step
}

// interim is an intermediate result: docIDs in device memory, segment by segment, local to
// the segments.
type interim struct {
	at     kernels.Ptr
	starts []uint32 // by segment, and the end
}

func (c *interim) len() int64 { return int64(c.starts[len(c.starts)-1]) }

// flush submits the batch of the stage and waits for it.
func (w *stepping) flush() error {
	if err := w.s.x.dev.Submit(&w.st.Batch); err != nil {
		return err
	}
	return w.s.x.dev.Wait(w.st.Stream)
}
