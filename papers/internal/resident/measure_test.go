package resident

import (
	"errors"
	"slices"
	"testing"
)

// TestMedians measures two ways on a machine that is slow for a while: both are measured then.
func TestMedians(t *testing.T) {
	var calls []int
	got, err := medians(2, 3, func(i int) (Times, error) {
		calls = append(calls, i)
		k := float64(len(calls))
		return Times{Batch: k, In: 10 * k, Search: -k, Gather: float64(i)}, nil
	})
	if want := []int{0, 1, 0, 1, 0, 1}; err != nil || !slices.Equal(calls, want) {
		t.Errorf("calls are %v (%v), want %v", calls, err, want)
	}
	if want := []Times{{3, 30, -3, 0}, {4, 40, -4, 1}}; !slices.Equal(got, want) {
		t.Errorf("medians are %v, want %v", got, want)
	}
	broken := errors.New("broken")
	if _, err := medians(1, 3, func(int) (Times, error) { return Times{}, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the run", err)
	}
}
