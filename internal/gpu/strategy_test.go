package gpu

import (
	"errors"
	"math"
	"testing"

	"github.com/pinion-index/pinion/internal/gpu/docs"
	"github.com/pinion-index/pinion/internal/gpu/residency"
)

// longPlans are conjunctions that share a short list and one of n postings.
func longPlans(n uint32) (plans []*plan) {
	short, long := &residency.List{N: 10}, &residency.List{N: n}
	for range 100 {
		plans = append(plans, &plan{weights: make([]float32, 2), lists: []posting{{n: 10, want: residency.Want{List: short}}, {n: n, want: residency.Want{List: long}}}})
	}
	return plans
}

// Lists of 2^31 postings are too long for MergePath: a Conjunction refuses it.
func TestLongLists(t *testing.T) {
	x := &Executor{docs: &docs.Docs{Views: make([]residency.View, 1)}}
	for _, c := range []struct {
		n      uint32
		merges bool
	}{{1000, true}, {1<<31 - 1, true}, {1 << 31, false}, {math.MaxUint32 - 1, false}} {
		plans := longPlans(c.n)
		if got := mergeable(plans); got != c.merges {
			t.Errorf("%d postings: %v", c.n, got)
		}
		if c.merges {
			continue
		}
		if err := (&Conjunction{x: x}).layOut(plans, MergePath); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%d postings: %v", c.n, err)
		}
	}
}
