package query

import "context"

// stop ends a query early: on cancellation, or on damage found. It is polled
// once a block.
type stop struct {
	ctx  context.Context
	done <-chan struct{}
	err  error
}

func (s *stop) reset(ctx context.Context) {
	s.ctx, s.done, s.err = ctx, ctx.Done(), nil
}

// stopped reports whether the query is to end.
func (s *stop) stopped() bool {
	if s.err != nil {
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
