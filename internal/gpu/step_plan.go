package gpu

import (
	"bytes"
	"context"
	"slices"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

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
	case !flat || q.Node != nil && !required(q.Node, 0):
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

// first decides on the first step of a plan, by what is on the device.
func (s *Stepper) first(q *search.Query, p *plan) (StepChoice, Reason) {
	if !p.whole() {
		s.x.lists.Look(wanted(p.lists))
		w := stepping{s: s, q: *q, p: p, done: 1}
		state := w.state()
		choice, why := w.choose(state)
		return s.possible(state, choice, why)
	}
	own, state, missing := s.wholeOf(q, p)
	return s.chooseWhole(&own, state, missing)
}

// wholeOf returns a query that one processor answers as a whole, with the mode of its next step, and describes that step.
// missing postings are not on the device.
func (s *Stepper) wholeOf(q *search.Query, p *plan) (own search.Query, state StepState, missing int64) {
	own = *q
	views := len(s.x.docs.Views)
	s.x.lists.Look(wanted(p.lists))
	missing = p.missing(0, len(p.weights), views)
	state = StepState{Done: 1, Terms: len(p.weights), Missing: missing, Rest: missing}
	if p.mode == query.ModeOr {
		own.Mode, state.Or, state.Length = query.ModeOr, true, p.weight.all
	} else if state.Length = p.length(0, views); len(p.weights) > 1 {
		state.Next = p.length(1, views)
	}
	if s.o.Load { // as if they were there
		state.Missing, state.Rest = 0, 0
	}
	return own, state, missing
}

// chooseWhole decides who answers a query as a whole.
func (s *Stepper) chooseWhole(own *search.Query, state StepState, missing int64) (StepChoice, Reason) {
	choice, why := s.chooseFor(own, state)
	if choice != StepCPU && missing > 0 && !s.o.Load {
		return StepCPU, reasonAbsent
	}
	return choice, why
}

// choose decides by the rule.
func (w *stepping) choose(s StepState) (StepChoice, Reason) {
	as := s
	if w.s.o.Load { // as if they were there
		as.Missing, as.Rest = 0, 0
	}
	choice, why := w.s.choose(as)
	if s.Next == 0 && choice == StepGPU {
		choice = StepRest
	}
	return choice, why
}

// possible returns a choice, or the CPU where lists are not there and not loaded.
func (s *Stepper) possible(state StepState, choice StepChoice, why Reason) (StepChoice, Reason) {
	if n := lacks(choice, state); n > 0 && !s.o.Load && !s.o.Rule.loads(state, n) {
		return StepCPU, reasonAbsent
	}
	return choice, why
}

// lacks returns how many postings that a choice needs are not on the device.
func lacks(choice StepChoice, s StepState) int64 {
	switch choice {
	case StepGPU:
		return s.Missing
	case StepRest:
		return s.Rest
	}
	return 0
}

// state describes the next step.
func (w *stepping) state() StepState {
	n, segs := len(w.p.weights), len(w.s.x.docs.Views)
	s := StepState{Done: w.done, Terms: n, Length: w.p.length(0, segs)}
	from := 0
	if w.done > 1 {
		s.Length, from = w.cur.len(), w.done
	}
	if w.done < n {
		s.Next = w.p.length(w.done, segs)
		s.Missing = w.p.missing(from, w.done+1, segs)
	}
	s.Rest = w.p.missing(0, n, segs)
	if w.done == n {
		s.Missing = s.Rest
	}
	return s
}
