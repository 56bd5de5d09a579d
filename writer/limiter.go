package writer

import (
	"context"
	"sync"
	"time"
)

// limiter spreads writes over time. It is safe for concurrent use.
type limiter struct {
	rate int64 // bytes a second; 0: no limit

	mu   sync.Mutex
	next time.Time // when all bytes so far are paid for
}

// wait waits until n bytes may be written, or ctx ends.
func (l *limiter) wait(ctx context.Context, n int) error {
	if l.rate == 0 {
		return ctx.Err()
	}
	l.mu.Lock()
	now := time.Now()
	if l.next.Before(now) {
		l.next = now
	}
	until := l.next.Sub(now)
	l.next = l.next.Add(time.Duration(float64(n) / float64(l.rate) * float64(time.Second)))
	l.mu.Unlock()
	if until <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(until):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
