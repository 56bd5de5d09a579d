package gpuload

import (
	"cmp"
	"fmt"
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
// H100 and one core of its host.
type StepRule struct {
	// Ratio is the crossover of Griffin 2018 section 3.2: the CPU continues when the next
	// list is at least that many times as long as the intermediate result. 0 means 128,
	// as in the paper: blocks have 128 postings, so from there on some can be skipped.
	Ratio float64 `json:"ratio"`
	// Shortest is the length from which an intermediate result, or first list, is worth a
	// launch. Shorter ones are the CPU's. 0 means 2,560 postings: with first lists of that
	// length an H100 and one core of its host take the same time, 45 us.
	Shortest int64 `json:"shortest"`
	// Longest bounds Ratio: an intermediate result of that length or more stays on the
	// GPU whatever the ratio, since the GPU looks docIDs up in parallel. 0 means 16,384
	// postings; negative, that only Ratio and Shortest count, as in the paper.
	Longest int64 `json:"longest"`
	// Or is the number of postings of all lists from which a disjunction is worth a launch.
	// 0 means 131,072.
	Or int64 `json:"or"`
	// Load is the length from which lists that are missing are copied to the device before
	// a step, plus 1/512 of theirs: the CPU would take longer than the
	// copy. Shorter intermediate results move to the CPU instead. 0 means 8,192 postings, which
	// take one core of an H200's host 150 us; loading three lists takes the device 110 us.
	// Negative means that no query waits for a copy.
	Load int64 `json:"load"`
	// Merge is the ratio below which a step decodes both lists and merges them
	// (MergePath), rather than search for the docIDs of one in the other (Probe).
	// 0 means never, since probing has been faster at every ratio measured.
	Merge float64 `json:"merge"`
	// Sort is the number of candidates below which the CPU selects the best of a query that ends
	// on the GPU (Griffin 2018 section 3.1.3). 0 means 65,536.
	Sort int64 `json:"sort"`
	// Each makes every intersection on the GPU a step of its own, as in the paper. Otherwise
	// those that no decision can follow run in one batch.
	Each bool `json:"each"`
}

// Defaults of StepRule.
const (
	stepRatio    = 128
	stepShortest = 2560
	stepLongest  = 16384
	stepSort     = 65536
	stepOr       = 131072
	stepLoad     = 8192
)

// stepCopied postings are copied and checked while a core intersects one of the first list.
const stepCopied = 512

// Griffin is the rule of Griffin 2018 section 3.2: by ratio alone, decided again after
// each intersection.
var Griffin = StepRule{Ratio: stepRatio, Shortest: -1, Longest: -1, Each: true}

func (r *StepRule) setDefaults() {
	r.Ratio = cmp.Or(r.Ratio, stepRatio)
	for _, v := range []struct {
		field *int64
		n     int64
	}{{&r.Shortest, stepShortest}, {&r.Longest, stepLongest}, {&r.Sort, stepSort}, {&r.Or, stepOr}, {&r.Load, stepLoad}} {
		*v.field = cmp.Or(*v.field, v.n)
	}
}

// loads reports whether a step waits for so many missing postings.
func (r StepRule) loads(s StepState, missing int64) bool {
	return r.Load >= 0 && s.Length >= r.Load+missing/stepCopied && !s.Or
}

// Choose decides on a step.
func (r StepRule) Choose(s StepState) StepChoice {
	choice, _ := r.choose(s)
	return choice
}

// choose also returns the reason, for traces.
func (r StepRule) choose(s StepState) (StepChoice, string) {
	r.setDefaults()
	switch {
	case s.Or && s.Length < r.Or:
		return StepCPU, "short"
	case s.Or && s.Rest > 0:
		return StepCPU, "not resident"
	case s.Or:
		return StepRest, "long"
	case s.Terms == 1:
		return StepCPU, "one list: its bounds skip most blocks"
	case s.Length < r.Shortest:
		return StepCPU, "short"
	case s.Missing > 0 && !r.loads(s, s.Missing):
		return StepCPU, "not resident"
	case s.Next > 0 && r.Ratio > 0 && s.Ratio() >= r.Ratio && (r.Longest < 0 || s.Length < r.Longest):
		return StepCPU, "ratio"
	case s.Next == 0 || !r.Each && (s.Rest == 0 || r.loads(s, s.Rest)):
		return StepRest, "long"
	}
	return StepGPU, "long"
}

// merges reports whether a step of the rule merges.
func (r StepRule) merges(s StepState) bool { return s.Next > 0 && s.Ratio() < r.Merge }
