package gpu

import (
	"cmp"
	"fmt"
	"math"
)

// StepState is what the decision before a step of a conjunction depends on. Lengths are
// postings, summed over segments.
type StepState struct {
	Done    int   // terms that the intermediate result holds, in canonical order; 1: it is still the first list
	Terms   int   // terms of the query
	Length  int64 // of the intermediate result or the first list
	Next    int64 // length of the next list; 0 if there is none left
	Missing int64 // postings that the step needs and that are not in device memory
	Rest    int64 // the same for all steps that are left
	Or      bool  // a disjunction, in one step: Length is that of all lists
}

// Ratio returns the length of the next list as a multiple of the intermediate result's.
func (s StepState) Ratio() float64 { return float64(s.Next) / float64(max(s.Length, 1)) }

// Work returns how much a core has to do for the step, in docIDs looked up: those of the
// intermediate result, and for each block of the next list that they can hit another three.
// One core of an H200's host takes 12 ns for each, and half as much again when lists are not
// in its caches.
func (s StepState) Work() int64 { return s.Length + 3*min(s.Length, s.Next/128) }

// StepChoice is what to do next with an intermediate result.
type StepChoice uint8

// The choices. After the last list, StepGPU means StepRest.
const (
	StepCPU  StepChoice = iota // move it to the CPU, which ends the query
	StepGPU                    // intersect it with the next list on the GPU, then decide again
	StepRest                   // end the query on the GPU: all lists in one batch

	stepChoices
)

var stepNames = [stepChoices]string{StepCPU: "cpu", StepGPU: "gpu", StepRest: "gpu to the end"}

// String returns the choice in words.
func (c StepChoice) String() string {
	if c < stepChoices {
		return stepNames[c]
	}
	return fmt.Sprintf("step choice(%d)", uint8(c))
}

// StepRule decides where the steps of a query run. The zero value selects the defaults;
// a negative value means none, so that the field decides nothing. The defaults are for an
// H200 and one core of its host.
type StepRule struct {
	// Work is the work (StepState.Work) from which a step is worth a launch. Steps with less
	// are the CPU's. 0 means 3,072, for which an H200 and one core of its host take the same
	// time, 40 us.
	Work int64
	// Ratio is the crossover of Griffin 2018 section 3.2: the CPU continues when the next
	// list is at least that many times as long as the intermediate result. 0 means none:
	// where there is enough work, the GPU is faster at every ratio measured.
	Ratio float64
	// Or is the number of postings of all lists from which a disjunction is worth a launch, unless
	// StepOptions.Sooner predicts it. 0 means 131,072.
	Or int64
	// Load is the work from which all lists of a query that are missing are copied to the
	// device, plus 1/256 of their postings: the CPU would take longer than the copy. With less
	// work the CPU answers instead, and the lists are copied behind a query once they have cost
	// the queries that they kept from the GPU as much, while there is memory to spare. 0 means
	// 2.5 times Work: to begin a copy takes 1.5 times what a launch takes. Negative means that no
	// query waits for a copy.
	Load int64
	// Sort is the number of candidates below which the CPU selects the best of a query that ends
	// on the GPU (Griffin 2018 section 3.1.3). 0 means 65,536.
	Sort int64
	// Each makes every intersection on the GPU a step of its own, as in the paper, which waits
	// for its own lists only. Otherwise the GPU does what is left in one batch.
	Each bool
}

// DefaultStepWork is the default of StepRule.Work.
const DefaultStepWork = 3072

const (
	stepOr   = 131072
	stepSort = 65536
	stepLoad = 2.5 // of Work
)

// stepCopied postings are copied, checked and searched for the first time while a core does a unit
// of work, 12 ns. With memory for a quarter of the lists, queries that wait for a copy take an H200
// 55 us longer, and 45 ns for each thousand postings.
const stepCopied = 256

// Griffin is the rule of Griffin 2018 section 3.2: by ratio alone, 128 since blocks have 128
// postings, decided again after each intersection.
var Griffin = StepRule{Ratio: 128, Work: -1, Each: true}

func (r *StepRule) setDefaults() {
	r.Work = cmp.Or(r.Work, DefaultStepWork)
	r.Sort = cmp.Or(r.Sort, stepSort)
	r.Or = cmp.Or(r.Or, stepOr)
	if r.Load == 0 {
		work := r.Work
		if work < 0 {
			work = DefaultStepWork
		}
		r.Load = int64(min(stepLoad*float64(work), math.MaxInt64/2))
	}
}

// loads reports whether a step waits for so many missing postings.
func (r StepRule) loads(s StepState, missing int64) bool {
	return r.Load >= 0 && !s.Or && r.gain(s) >= r.copying(missing)
}

// gain returns how much more work than a launch is worth a step would cost a core.
func (r StepRule) gain(s StepState) int64 {
	if s.Or {
		return (s.Length - r.Or) / (stepOr / DefaultStepWork)
	}
	return s.Work() - max(r.Work, 0)
}

// copying returns the work that a core does while missing postings are copied.
func (r StepRule) copying(missing int64) int64 {
	start := int64((stepLoad - 1) * DefaultStepWork)
	if r.Load >= 0 {
		start = max(r.Load-max(r.Work, 0), 0)
	}
	return start + missing/stepCopied
}

// Choose decides on a step.
func (r StepRule) Choose(s StepState) StepChoice {
	choice, _ := r.choose(s)
	return choice
}

// choose also returns the reason.
func (r StepRule) choose(s StepState) (StepChoice, Reason) {
	r.setDefaults()
	switch {
	case s.Or && s.Length < r.Or:
		return StepCPU, reasonShort
	case s.Or && s.Rest > 0:
		return StepCPU, reasonAbsent
	case s.Or:
		return StepRest, reasonLong
	case s.Terms == 1:
		return StepCPU, reasonList
	case s.Work() < r.Work:
		return StepCPU, reasonShort
	case r.Each && s.Missing > 0 && !r.loads(s, s.Missing), !r.Each && s.Rest > 0 && !r.loads(s, s.Rest):
		return StepCPU, reasonAbsent
	case s.Next > 0 && r.Ratio > 0 && s.Ratio() >= r.Ratio:
		return StepCPU, reasonRatio
	case s.Next == 0 || !r.Each:
		return StepRest, reasonLong
	}
	return StepGPU, reasonLong
}
