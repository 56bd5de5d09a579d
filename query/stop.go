package query

import "context"

// stop ends a query early: on cancellation, or on damage found. It is polled
// once a block or more often.
type stop struct {
	ctx  context.Context
	done <-chan struct{}
	err  error
	step uint32
}

func (s *stop) reset(ctx context.Context) {
	s.ctx, s.done, s.err = ctx, ctx.Done(), nil
}

// due is stopped, but looks only every 64th time: for loops over documents, of
// which a block holds 128 or more.
func (s *stop) due() bool {
	s.step++
	return s.step%64 == 0 && s.stopped()
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
