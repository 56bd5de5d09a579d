package hybrid

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
)

// Plan says which processors may answer a query, as far as that does not depend on what else waits.
type Plan struct {
	Why       gpu.Reason    // why a core answers; OnDevice if either processor may
	Core, GPU time.Duration // predicted for one that comes among others, if either may
	Device    *gpu.Plan     // of a device among others; nil if there is none
	Alone     *gpu.Plan     // of one that finds no other; nil if it is answered as others
}

// planner is an executor on a GPU that plans.
type planner interface {
	Plan(context.Context, search.Query) (gpu.Plan, error)
}

// Plan returns the plan of q, which is not executed.
func (x *Executor) Plan(ctx context.Context, q search.Query) (p Plan, err error) {
	if x.cpu == nil || x.gate.ended.Load() {
		return p, ErrClosed
	}
	if err := q.CheckPart(x.ofPart); err != nil {
		return p, err
	}
	if err := complete(x.cpu.Searcher(), &q); err != nil {
		return p, err
	}
	d := x.gpu.Load()
	if p.Why = bound(&q); d == nil || x.gone.Load() {
		p.Why = gpu.ReasonNoDevice
	}
	if p.Why != gpu.OnDevice {
		return p, nil
	}
	lengths, mode, _, err := x.cpu.Searcher().AppendWordLengths(nil, &q)
	if err != nil {
		return p, err
	}
	f := featuresOf(&q, mode, lengths)
	p.Core, p.GPU = x.cost.core(&f), x.cost.gpu(q.Mode, x.now())
	if g, ok := d.Executor.(planner); ok {
		if p.Device, err = planOf(ctx, g, q); err != nil {
			return p, err
		}
	}
	if d.stepper != nil {
		p.Alone, err = planOf(ctx, d.stepper, q)
	}
	return p, err
}

func planOf(ctx context.Context, by planner, q search.Query) (*gpu.Plan, error) {
	p, err := by.Plan(ctx, q)
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// bound returns why a core is to answer a query that is submitted: no device takes it, as far as it says that itself, or it has a
// filter of its own.
func bound(q *search.Query) gpu.Reason {
	if why := gpu.Refuse(q); why != gpu.OnDevice {
		return why
	}
	return gpu.Lone(q)
}

// String returns the plan as text: lines.
func (p Plan) String() string {
	if p.Why != gpu.OnDevice {
		return fmt.Sprintf("CPU, %v: %s\n", p.Why, p.Why.Clause())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "either processor: a core is predicted to take %v, a GPU to answer within %v\n", p.Core.Round(time.Microsecond), p.GPU.Round(time.Microsecond))
	if p.Device != nil {
		fmt.Fprintf(&b, "on a GPU: %v", p.Device)
	}
	if p.Alone != nil {
		fmt.Fprintf(&b, "if no other query is there: %v", p.Alone)
	}
	return b.String()
}
