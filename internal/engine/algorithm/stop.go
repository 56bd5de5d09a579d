package algorithm

import (
	"context"
	"sync/atomic"
)

// stop ends a query early, on cancellation or damage. Algorithms poll it at least once a block.
type stop struct {
	ctx  context.Context
	done <-chan struct{}
	Halt *atomic.Bool // set when another task of the query has failed; nil without tasks
	Err  error
	step uint32
}

func (s *stop) reset(ctx context.Context, halt *atomic.Bool) {
	s.ctx, s.done, s.Halt, s.Err = ctx, ctx.Done(), halt, nil
}

// Due is stopped for loops over documents: it polls only on every 64th call.
func (s *stop) Due() bool {
	s.step++
	return s.step%64 == 0 && s.Stopped()
}

// Stopped reports whether the query must end.
func (s *stop) Stopped() bool {
	if s.Err != nil || s.Halt != nil && s.Halt.Load() {
		return true
	}
	if s.done == nil {
		return false
	}
	select {
	case <-s.done:
		s.Err = s.ctx.Err()
		return true
	default:
		return false
	}
}

// fail ends the query with err, unless it has an error already.
func (s *stop) fail(err error) {
	if s.Err == nil {
		s.Err = err
	}
}
