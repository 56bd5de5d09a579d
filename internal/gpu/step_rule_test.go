package gpu

import (
	"math"
	"testing"
)

func TestStepRule(t *testing.T) {
	paper, none, never := Griffin, StepRule{Work: -1}, StepRule{Work: math.MaxInt64}
	for _, c := range []struct {
		name string
		rule StepRule
		s    StepState
		want StepChoice
	}{
		{"below the crossover", paper, StepState{Done: 1, Terms: 2, Length: 100, Next: 12799}, StepGPU},
		{"at the crossover", paper, StepState{Done: 1, Terms: 2, Length: 100, Next: 12800}, StepCPU},
		{"an empty intermediate result", paper, StepState{Done: 2, Terms: 3, Next: 128}, StepCPU},
		{"all lists done", paper, StepState{Done: 2, Terms: 2, Length: 1}, StepRest},
		{"long, below the crossover", StepRule{}, StepState{Done: 1, Terms: 3, Length: 10_000, Next: 20_000}, StepRest},
		{"a list missing", StepRule{}, StepState{Done: 1, Terms: 3, Length: 4_000, Next: 20_000, Rest: 30_000}, StepCPU},
		{"a list missing, a longer result", StepRule{}, StepState{Done: 1, Terms: 3, Length: 12_000, Next: 20_000, Missing: 20_000, Rest: 20_000}, StepRest},
		{"much missing now", StepRule{}, StepState{Done: 1, Terms: 3, Length: 12_000, Next: 12_000_000, Missing: 12_000_000, Rest: 12_000_000}, StepCPU},
		{"much missing later", StepRule{}, StepState{Done: 1, Terms: 3, Length: 12_000, Next: 20_000, Missing: 20_000, Rest: 10_020_000}, StepCPU},
		{"missing lists cheaper than the CPU", StepRule{}, StepState{Done: 1, Terms: 3, Length: 20_000, Next: 40_000, Missing: 1000, Rest: 13256*256 + 255}, StepRest},
		{"missing lists dearer than the CPU", StepRule{}, StepState{Done: 1, Terms: 3, Length: 20_000, Next: 40_000, Missing: 1000, Rest: 13257 * 256}, StepCPU},
		{"each step, a list missing later", StepRule{Each: true}, StepState{Done: 1, Terms: 3, Length: 20_000, Next: 40_000, Rest: 13257 * 256}, StepGPU},
		{"each step, a list missing now", StepRule{Each: true}, StepState{Done: 1, Terms: 3, Length: 4_000, Next: 20_000, Missing: 20_000, Rest: 20_000}, StepCPU},
		{"a list missing now, but long", StepRule{}, StepState{Done: 1, Terms: 3, Length: 200_000, Next: 200_000, Missing: 200_000, Rest: 200_000}, StepRest},
		{"slower cores, a list missing", StepRule{Work: 2048}, StepState{Done: 1, Terms: 3, Length: 5_120, Next: 5_120, Rest: 255}, StepRest},
		{"slower cores, a shorter result", StepRule{Work: 2048}, StepState{Done: 1, Terms: 3, Length: 4_999, Next: 5_120, Rest: 255}, StepCPU},
		{"no query waits", StepRule{Load: -1}, StepState{Done: 1, Terms: 3, Length: 200_000, Next: 200_000, Missing: 200_000, Rest: 200_000}, StepCPU},
		{"a short disjunction", StepRule{}, StepState{Done: 1, Terms: 2, Or: true, Length: 131_071}, StepCPU},
		{"a long disjunction", StepRule{}, StepState{Done: 1, Terms: 1, Or: true, Length: 131_072}, StepRest},
		{"a long disjunction with a list missing", StepRule{}, StepState{Done: 1, Terms: 3, Or: true, Length: 1e6, Missing: 1, Rest: 1}, StepCPU},
		{"short", StepRule{}, StepState{Done: 1, Terms: 3, Length: 100, Next: 200}, StepCPU},
		{"few blocks to hit", StepRule{}, StepState{Done: 1, Terms: 3, Length: 1000, Next: 88_000}, StepCPU},
		{"blocks to hit", StepRule{}, StepState{Done: 1, Terms: 3, Length: 1000, Next: 89_000}, StepRest},
		{"no more blocks than docIDs", StepRule{}, StepState{Done: 1, Terms: 3, Length: 767, Next: 1e9}, StepCPU},
		{"high ratio", StepRule{}, StepState{Done: 1, Terms: 3, Length: 10_000, Next: 2_000_000}, StepRest},
		{"a ratio", StepRule{Ratio: 128}, StepState{Done: 1, Terms: 3, Length: 10_000, Next: 2_000_000}, StepCPU},
		{"each step", StepRule{Each: true}, StepState{Done: 1, Terms: 3, Length: 100_000, Next: 200_000}, StepGPU},
		{"one list", StepRule{}, StepState{Done: 1, Terms: 1, Length: 1e9}, StepCPU},
		{"no thresholds", none, StepState{Done: 1, Terms: 2, Length: 1, Next: math.MaxInt64}, StepRest},
		{"never", never, StepState{Done: 1, Terms: 2, Length: 1e9, Next: 1e9}, StepCPU},
	} {
		if got := c.rule.Choose(c.s); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
