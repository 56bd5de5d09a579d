package bucket

import (
	"context"

	"github.com/pinion-index/pinion/reader/meter"
)

// What a task asks of a bucket is counted by package meter.
type (
	// Budget bounds what one task, such as a query, may ask of a bucket.
	Budget = meter.Budget
	// Usage is what a task has asked of a bucket.
	Usage = meter.Usage
	// BudgetError is the error of a read that a task's Budget does not allow.
	BudgetError = meter.BudgetError
	// Meter counts what is read for a task, and refuses what exceeds its budget.
	Meter = meter.Meter
)

// WithMeter returns a context whose reads are counted and refused once they exceed a budget, and what counts
// them. A read that is refused gives an error that is a *BudgetError.
func WithMeter(ctx context.Context, b Budget) (context.Context, *Meter) {
	m := meter.New(b)
	return meter.With(ctx, m), m
}
