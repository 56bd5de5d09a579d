package idxbench

import (
	"context"
	"fmt"
	"time"
)

// lateShare is how many queries of a million may be late at the highest rate.
const lateShare = 10

// keeps reports whether at most 1 in 100,000 queries of a run was late or refused, and
// arrivals did not outrun answers.
func (row *LoadRow) keeps() bool {
	return !row.Behind && (row.Missed+row.Shed)*1e6 <= (row.Queries+row.Shed)*lateShare
}

// highest looks for the highest rate of arrivals that keeps the deadline.
func (l *loader) highest(ctx context.Context, r run, saturated float64) (LoadRow, error) {
	return findHighest(saturated, l.f.time, func(rate float64, d time.Duration) (LoadRow, error) {
		r.rate = rate
		return l.measure(ctx, r, l.queries, d)
	})
}

// leastRate is a rate that is tried though a short run at saturation gave no answer. searchRun bounds
// the runs that only narrow the range.
const (
	leastRate = 100
	searchRun = time.Second
)

// findHighest halves the range below the throughput at saturation until the highest rate is known to
// within 3 %. These runs take half of long, searchRun at most. Then it measures the result for long, and
// a little lower until that keeps the deadline too.
func findHighest(saturated float64, long time.Duration, measure func(rate float64, d time.Duration) (LoadRow, error)) (LoadRow, error) {
	low, high := 0.0, max(1.1*saturated, leastRate)
	for high-low > 0.03*high && high > 1 {
		rate := (low + high) / 2
		if low == 0 {
			rate = 0.8 * high
		}
		row, err := measure(rate, min(long/2, searchRun))
		if err != nil {
			return row, err
		}
		if row.keeps() {
			low = rate
		} else {
			high = rate
		}
	}
	for rate := low; rate > 1; rate *= 0.97 {
		row, err := measure(rate, long)
		if err != nil {
			return row, err
		}
		if row.keeps() {
			row.Highest = true
			return row, nil
		}
	}
	return LoadRow{}, fmt.Errorf("no rate of arrivals keeps the deadline")
}
