// Package budget bounds what requests take in memory: each for itself, and all of a server together. A request's budget
// travels in its context, so that what makes an answer stops as soon as it grows too large.
package budget

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrAnswer is matched by the error for a request that takes more than one may, a *TooLarge, and ErrHeld is that for more
// than all requests together may hold.
var (
	ErrAnswer = errors.New("the answer is too large")
	ErrHeld   = errors.New("requests hold too much memory")
)

// TooLarge says how large an answer may be, or what a request may hold to make one.
type TooLarge struct {
	Limit int64
	Held  bool // what is too large is not the answer itself
}

// Error says it.
func (e *TooLarge) Error() string {
	if e.Held {
		return fmt.Sprintf("the request takes more than %d bytes of memory", e.Limit)
	}
	return fmt.Sprintf("the answer has more than %d bytes", e.Limit)
}

// Is reports whether target is ErrAnswer.
func (e *TooLarge) Is(target error) bool { return target == ErrAnswer }

// Pool is what all requests of a server may hold together.
type Pool struct {
	limit int64
	held  atomic.Int64
}

// NewPool returns a Pool of so many bytes.
func NewPool(limit int64) *Pool { return &Pool{limit: limit} }

// Held returns how many bytes requests hold.
func (p *Pool) Held() int64 { return p.held.Load() }

// Budget is that of a request. It is safe for concurrent use. A nil one has no limits.
type Budget struct {
	pool   *Pool
	answer int64
	taken  atomic.Int64 // of answer
	held   atomic.Int64 // of pool
}

// Budget returns that of a request whose answer may take so many bytes.
func (p *Pool) Budget(answer int64) *Budget { return &Budget{pool: p, answer: answer} }

// Hold takes n bytes that are no part of the answer, or gives -n back. The error is ErrHeld, or a *TooLarge if the request
// alone holds more than all may: it is in vain to come again.
func (b *Budget) Hold(n int) error {
	if b == nil {
		return nil
	}
	own, all := b.held.Add(int64(n)), b.pool.held.Add(int64(n))
	switch limit := b.pool.limit; {
	case n <= 0 || all <= limit:
		return nil
	case own > limit:
		return &TooLarge{limit, true}
	}
	return ErrHeld
}

// Take takes n bytes of the answer, and more that what they are made of takes beside them.
func (b *Budget) Take(n, more int) error {
	if b == nil {
		return nil
	}
	if b.taken.Add(int64(n)) > b.answer {
		return &TooLarge{Limit: b.answer}
	}
	return b.Hold(n + more)
}

// Has returns an error if the answer may not take n bytes more, but does not take them.
func (b *Budget) Has(n int) error {
	if b == nil || b.taken.Load()+int64(n) <= b.answer {
		return nil
	}
	return &TooLarge{Limit: b.answer}
}

// Fits holds the last more of an answer that is written and has n bytes by now, unless that is too large.
func (b *Budget) Fits(n, more int) error {
	if b == nil {
		return nil
	}
	if int64(n) > b.answer {
		return &TooLarge{Limit: b.answer}
	}
	return b.Hold(more)
}

// Release gives all back that b holds of the pool. It may be called again.
func (b *Budget) Release() {
	if b != nil {
		b.pool.held.Add(-b.held.Swap(0))
	}
}

type key struct{}

// With returns a context that brings b along.
func With(ctx context.Context, b *Budget) context.Context { return context.WithValue(ctx, key{}, b) }

// Of returns the Budget of a context, which may be nil, or nil.
func Of(ctx context.Context) *Budget {
	if ctx == nil {
		return nil
	}
	b, _ := ctx.Value(key{}).(*Budget)
	return b
}

// Cause returns what an error that matches ErrAnswer says of the limit, whatever is around it.
func Cause(err error) string {
	var large *TooLarge
	if errors.As(err, &large) {
		return large.Error()
	}
	return err.Error()
}
