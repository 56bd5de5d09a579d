package engine

import (
	"context"
	"sync/atomic"
)

// stop ends a query early, on cancellation or damage. Algorithms poll it at least once a block.
type stop struct {
	ctx  context.Context
	done <-chan struct{}
	halt *atomic.Bool // set when another task of the query has failed; nil without tasks
	err  error
	step uint32
}

func (s *stop) reset(ctx context.Context, halt *atomic.Bool) {
	s.ctx, s.done, s.halt, s.err = ctx, ctx.Done(), halt, nil
}

// due is stopped for loops over documents: it polls only on every 64th call.
func (s *stop) due() bool {
	s.step++
	return s.step%64 == 0 && s.stopped()
}

// stopped reports whether the query must end.
func (s *stop) stopped() bool {
	if s.err != nil || s.halt != nil && s.halt.Load() {
		return true
	}
	if s.done == nil {
		return false
	}
	select {
	case <-s.done:
		s.err = s.ctx.Err()
		return true
	default:
		return false
	}
}

// fail ends the query with err, unless it has an error already.
func (s *stop) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}
