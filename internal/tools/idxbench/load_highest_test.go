package idxbench

import (
	"errors"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/loadtest"
)

// TestFindHighest searches a machine that keeps the deadline up to some rate: the result is within 6 % below
// it, and is that of a run of the whole time, however long that is.
func TestFindHighest(t *testing.T) {
	for _, c := range []struct {
		saturated, short, long float64 // rates that runs keep
		time, narrowing        time.Duration
	}{
		{1000, 900, 900, time.Second, time.Second / 2},
		{1000, 900, 900, 10 * time.Second, time.Second},
		{3e6, 40_000, 40_000, 2 * time.Second, time.Second},
		{1000, 2000, 2000, time.Second, time.Second / 2}, // no higher rate is tried than 1.1 times the saturated one
		{1000, 900, 600, 10 * time.Second, time.Second},  // long runs find what short ones do not
		{0, 50, 50, time.Second, time.Second / 2},
	} {
		whole := 0
		row, err := findHighest(c.saturated, c.time, func(rate float64, d time.Duration) (LoadRow, error) {
			kept := c.short
			switch d {
			case c.time:
				whole++
				kept = c.long
			case c.narrowing:
				if whole > 0 {
					t.Error("a run narrows the range after one of the whole time")
				}
			default:
				t.Errorf("a run of %v", d)
			}
			row := LoadRow{Offered: rate, Result: loadtest.Result{Queries: 1_000_000, Missed: lateShare}}
			if rate > kept {
				row.Missed++
			}
			return row, nil
		})
		highest := min(c.short, c.long, max(1.1*c.saturated, leastRate))
		if err != nil || !row.Highest || row.Offered > highest || row.Offered < 0.94*highest {
			t.Errorf("%+v: %g, highest %v, error %v, want about %g", c, row.Offered, row.Highest, err, highest)
		}
	}
	if row, err := findHighest(1000, time.Second, func(float64, time.Duration) (LoadRow, error) { return LoadRow{Result: loadtest.Result{Shed: 1}}, nil }); err == nil {
		t.Errorf("no run keeps the deadline, and the highest rate is %+v", row)
	}
	failed := errors.New("failed")
	if _, err := findHighest(1000, time.Second, func(float64, time.Duration) (LoadRow, error) { return LoadRow{}, failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}
