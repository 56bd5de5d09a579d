package reader

import (
	"context"
	"fmt"
	"sync"
)

// Budget bounds what one task, such as a query, may ask for. 0 means no bound.
type Budget struct {
	Requests int
	Bytes    int64
}

// Usage is what a task has asked for.
type Usage struct {
	// Requests were sent, those that were repeated or hedged or followed damage included. A request that another task
	// sent for the same bytes at the same time does not count.
	Requests int
	// Bytes were asked for by these requests.
	Bytes int64
	// Rounds is the length of the longest chain of requests of which each began after the one before had ended:
	// what the task waited for at least, in round trips.
	Rounds int
	// Repeated of the requests followed an error, Hedged were sent while a slow one was under way, and Damaged
	// asked again for bytes that had not matched their checksum.
	Repeated, Hedged, Damaged int
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

// Meter counts what a task, such as a query, asks of an index that is not local, and refuses what exceeds its budget: Sources
// that send requests count them with the Meter that the context of a read brings along. It is safe for concurrent use.
type Meter struct {
	budget Budget
	mu     sync.Mutex
	used   Usage
	ended  int // rounds that have ended
}

type meterKey struct{}

// NewMeter returns a Meter for a task, which counts what is asked for with contexts that WithMeter returns.
func NewMeter(b Budget) *Meter { return &Meter{budget: b} }

// WithMeter returns a context whose reads m counts, and refuses once they exceed its budget. A read that is refused gives an
// error that is a *BudgetError.
func WithMeter(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// MeterOf returns the Meter of a context, or nil, on which all methods but Usage may be called.
func MeterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// Usage returns what was counted until now.
func (m *Meter) Usage() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// Reason is why a request is sent.
type Reason uint8

const (
	FirstRequest    Reason = iota // its bytes are wanted
	RepeatedRequest               // an error came before
	HedgedRequest                 // a slow one is under way
	DamagedRequest                // its bytes came and did not match their checksum
)

// Begin counts a request of n bytes, unless the budget does not allow it. end must be called when it has ended.
func (m *Meter) Begin(n int64, why Reason) (end func(), err error) {
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
	case RepeatedRequest:
		m.used.Repeated++
	case HedgedRequest:
		m.used.Hedged++
	case DamagedRequest:
		m.used.Damaged++
	}
	round := m.ended + 1
	m.used.Rounds = max(m.used.Rounds, round)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.ended = max(m.ended, round)
	}, nil
}

// Grow counts n bytes more, of a request whose size was not known, whatever the budget.
func (m *Meter) Grow(n int64) {
	if m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.used.Bytes += n
	}
}

// Cached counts n bytes that the local cache had.
func (m *Meter) Cached(n int64) {
	if m != nil && n > 0 {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.used.Cached += n
	}
}
