package bucket

import (
	"context"
	"fmt"
	"sync"
)

// Budget bounds what one task, such as a query, may ask of a bucket. 0 means no bound.
type Budget struct {
	Requests int
	Bytes    int64
}

// Usage is what a task has asked of a bucket.
type Usage struct {
	// Requests were sent, those that were repeated or hedged included. A request that another task
	// sent for the same bytes at the same time does not count.
	Requests int
	// Bytes were asked for by these requests.
	Bytes int64
	// Rounds is the length of the longest chain of requests of which each began after the one before had ended:
	// what the task waited for at least, in round trips.
	Rounds int
	// Repeated of the requests followed an error, and Hedged were sent while a slow one was under way.
	Repeated, Hedged int
	// Cached is how many bytes the local cache had.
	Cached int64
}

// BudgetError is the error of a read that a task's Budget does not allow. Nothing was sent.
type BudgetError struct {
	Budget Budget
	Used   Usage // before the read
}

// Error returns the message.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget of %d requests and %d bytes is used up: %d requests and %d bytes were sent for",
		e.Budget.Requests, e.Budget.Bytes, e.Used.Requests, e.Used.Bytes)
}

// Meter counts what is read for a task, and refuses what exceeds its budget. It is safe for concurrent use.
type Meter struct {
	budget Budget
	mu     sync.Mutex
	used   Usage
	ended  int // rounds that have ended
}

type meterKey struct{}

// WithMeter returns a context whose reads are counted and refused once they exceed a budget, and what counts
// them. A read that is refused gives an error that is a *BudgetError.
func WithMeter(ctx context.Context, b Budget) (context.Context, *Meter) {
	m := &Meter{budget: b}
	return context.WithValue(ctx, meterKey{}, m), m
}

// meterOf returns the meter of a context, or nil.
func meterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// Usage returns what was counted until now.
func (m *Meter) Usage() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// reason is why a request is sent.
type reason uint8

const (
	first reason = iota
	repeated
	hedged
)

// begin counts a request of n bytes, unless the budget does not allow it. end must be called when it has ended.
func (m *Meter) begin(n int64, why reason) (end func(), err error) {
	if m == nil {
		return func() {}, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := m.budget; b.Requests > 0 && m.used.Requests >= b.Requests || b.Bytes > 0 && m.used.Bytes+n > b.Bytes {
		return nil, &BudgetError{b, m.used}
	}
	m.used.Requests++
	m.used.Bytes += n
	switch why {
	case repeated:
		m.used.Repeated++
	case hedged:
		m.used.Hedged++
	}
	round := m.ended + 1
	m.used.Rounds = max(m.used.Rounds, round)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.ended = max(m.ended, round)
	}, nil
}

// grow counts n bytes more, of a request whose size was not known, whatever the budget.
func (m *Meter) grow(n int64) {
	if m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.used.Bytes += n
	}
}

// cached counts n bytes that the local cache had.
func (m *Meter) cached(n int64) {
	if m != nil && n > 0 {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.used.Cached += n
	}
}
