package gpuload

import (
	"errors"
	"math"
	"testing"

	"github.com/pinion-index/pinion/gpuload/internal/residency"
)

// longPlans are conjunctions that share a short list and one of n postings.
func longPlans(n uint32) (plans []*plan) {
	short, long := &residency.List{N: 10}, &residency.List{N: n}
	for range 100 {
		plans = append(plans, &plan{weights: make([]float32, 2), lists: []posting{{n: 10, want: residency.Want{List: short}}, {n: n, want: residency.Want{List: long}}}})
	}
	return plans
}

// Lists of 2^31 postings are too long for MergePath: a Conjunction refuses it, and a Stepper takes
// Probe instead.
func TestLongLists(t *testing.T) {
	x := &Executor{views: make([]residency.View, 1), lists: &residency.Lists{Least: math.MaxUint32}}
	for _, c := range []struct {
		n      uint32
		merges bool
	}{{1000, true}, {1<<31 - 1, true}, {1 << 31, false}, {math.MaxUint32 - 1, false}} {
		plans := longPlans(c.n)
		for how := Probe; how < strategyCount; how++ {
			w := &stepping{s: &Stepper{o: StepOptions{Strategy: how}}, p: plans[0]}
			want := how
			if how == MergePath && !c.merges {
				want = Probe
				if err := (&Conjunction{x: x}).layOut(plans, how); !errors.Is(err, ErrUnsupported) {
					t.Errorf("%d postings, %v: %v", c.n, how, err)
				}
			}
			if got := w.strategy(StepState{}); got != want {
				t.Errorf("%d postings, %v: a step by %v", c.n, how, got)
			}
		}
		w := &stepping{s: &Stepper{o: StepOptions{Rule: StepRule{Merge: math.MaxFloat64}}}, p: plans[0]}
		if got := w.strategy(StepState{Length: 10, Next: int64(c.n)}); (got == MergePath) != c.merges {
			t.Errorf("%d postings: a step by %v", c.n, got)
		}
	}
}
