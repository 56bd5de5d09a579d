package hybrid

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
)

// lone is a query that found no other, while a GPU may work on it.
type lone struct {
	x            *Executor
	part         *part // counts it
	ctx          context.Context
	asked        copies // the query: the GPU may still read it when its caller has returned
	begun, after time.Duration
	claimed      atomic.Bool // it is known who answers
	done         chan loneAnswer
}

type loneAnswer struct {
	result search.Result
	err    error
}

// searchAlone answers a query that is alone and that p counts. A query for the CPU
// stays in the caller's goroutine, which would wait for a GPU that hangs.
func (x *Executor) searchAlone(ctx context.Context, p *part, s *gpu.Stepper, q search.Query) (search.Result, error) {
	x.alone.Add(1)
	begun, after := x.now(), x.within(ctx)
	total := q.Total
	q.Total = false
	r, ok, err := s.OnCPU(ctx, &q)
	if q.Total = total; ok || err != nil {
		if total {
			r.Total = uncounted // several cores count
		}
		x.late(begun, after, 0, 1)
		x.gate.leave(p, 1)
		return r, err
	}
	a := &lone{x: x, part: p, ctx: ctx, begun: begun, after: after, done: make(chan loneAnswer, 1)}
	a.asked.add(&q)
	go a.step(s)
	select {
	case answer := <-a.done:
		return answer.result, answer.err
	case <-ctx.Done():
		return search.Result{}, ctx.Err()
	}
}

// step answers on both processors.
func (a *lone) step(s *gpu.Stepper) {
	watch := time.AfterFunc(a.x.options.Hang, a.hung)
	r, err := s.Search(a.ctx, a.asked.queries[0], nil)
	watch.Stop()
	if a.claimed.CompareAndSwap(false, true) {
		a.x.watch()
		a.end(1, r, err)
	}
}

// hung gives the GPU up and answers on the CPU.
func (a *lone) hung() {
	if !a.claimed.CompareAndSwap(false, true) {
		return
	}
	x := a.x
	x.fault(ErrHung)
	r, err := x.cpu.Searcher().Search(a.ctx, a.asked.queries[0])
	a.end(0, r, err)
}

// end delivers the answer. by is as in deliver.
func (a *lone) end(by int, r search.Result, err error) {
	a.x.late(a.begun, a.after, by, 1)
	a.x.gate.leave(a.part, 1) // first: the caller's next query is alone, too
	a.done <- loneAnswer{r, err}
}
