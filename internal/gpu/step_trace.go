package gpu

import (
	"time"

	"github.com/pinion-index/pinion/internal/search"
)

// StepTrace records where the steps of a query ran and what was moved between the
// processors.
type StepTrace struct {
	Plan   Plan // what was to be done
	Steps  []Step
	CPU    search.Trace  // what the CPU did; empty if it did nothing
	Took   time.Duration // all of it
	Failed error         // why the device did not answer, if it failed

	start time.Time
}

// Step is one decision and what followed.
type Step struct {
	Choice    StepChoice
	Whole     bool      // one processor answers the whole query
	State     StepState // what the decision was based on; zero if there was none
	Why       Reason
	Algorithm string // on the GPU
	Length    int64  // of the new intermediate result, or the number of hits
	Moved     int64  // docIDs moved from the device to the CPU
	Loaded    int64  // postings of lists that were copied to the device first
	Took      time.Duration
}

// Moved returns the number of docIDs that were moved to the CPU, and whether an
// intermediate result was.
func (t *StepTrace) Moved() (docs int64, moved bool) {
	for _, s := range t.Steps {
		if s.Choice == StepCPU && !s.Whole {
			docs, moved = docs+s.Moved, true
		}
	}
	return docs, moved
}

func (t *StepTrace) begin(q *search.Query) {
	if t != nil {
		*t = StepTrace{Steps: t.Steps[:0], start: time.Now()}
		q.Trace = true
	}
}

// onCPU takes the trace of a result.
func (t *StepTrace) onCPU(r *search.Result) {
	if t != nil && r.Trace != nil {
		t.CPU, r.Trace = *r.Trace, nil
	}
}

func (t *StepTrace) end() {
	if t != nil {
		t.Took = time.Since(t.start)
	}
}

func (t *StepTrace) failed(err error) {
	if t != nil {
		t.Failed = err
	}
}

// step adds a step. The function returned must be called at its end, with its result's
// length.
func (t *StepTrace) step(s Step) func(length int64) {
	if t == nil {
		return func(int64) {}
	}
	start, at := time.Now(), len(t.Steps)
	t.Steps = append(t.Steps, s)
	return func(length int64) {
		t.Steps[at].Length, t.Steps[at].Took = length, time.Since(start)
	}
}

// loaded sets how many postings were copied for the last step.
func (t *StepTrace) loaded(postings int64) {
	if t != nil {
		t.Steps[len(t.Steps)-1].Loaded = postings
	}
}
