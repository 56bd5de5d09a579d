package paper

import (
	"context"
	"math"
	"testing"
)

// A run that answered nothing has ratios of 0 to 0, which JSON does not hold.
func TestDoLeavesOutRowsWithoutNumber(t *testing.T) {
	x := &Experiment{Name: "x", CPU: func(context.Context, *Env) ([]Row, error) {
		return []Row{{Metric: "a", Value: math.NaN()}, {Metric: "b", Value: 2}, {Metric: "c", Value: math.Inf(1)}}, nil
	}}
	r, err := x.Do(t.Context(), &Env{Scale: 1}, CPUHalf)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 1 || r.Rows[0].Metric != "b" {
		t.Errorf("rows are %v, want that of b alone", r.Rows)
	}
	if err := Record(t.TempDir(), r); err != nil {
		t.Error(err)
	}
}
