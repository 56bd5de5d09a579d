package paper

import (
	"context"
	"math"
	"strings"
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

// TestMixed draws rows of two runs, of the same and of different scales and machines.
func TestMixed(t *testing.T) {
	x := &Experiment{Name: "x", Number: "Figure 1", Title: "Both"}
	p := &Paper{Title: "P", Experiments: []Experiment{*x}}
	for _, c := range []struct{ cpu, scale, want string }{{"A", "1", ""}, {"A", "1/4", "scale"}, {"B", "1", "machine"}, {"B", "1/4", "machine and scale"}} {
		one := &Run{Half: CPUHalf, CPU: "A", Scale: "1", Rows: []Row{{Metric: "m", Series: "s", At: "a", Value: 1}}}
		two := &Run{Half: GPUHalf, CPU: c.cpu, Scale: c.scale, Rows: []Row{{Metric: "m", Series: "t", At: "a", Value: 2}}}
		r := NewReport(p, x, one, two)
		page := string(Page("d", []*Paper{p}, []*Report{r}))
		if mixed := "differ in " + c.want + ","; strings.Contains(page, "differ in") != (c.want != "") || c.want != "" && !strings.Contains(page, mixed) {
			t.Errorf("%+v: the page does not say so:\n%s", c, page)
		}
		for _, row := range []string{"| s [1] | 1.000 |", "| t [2] | 2.000 |"} {
			if !strings.Contains(page, row) {
				t.Errorf("the page has no row %q:\n%s", row, page)
			}
		}
		var svg strings.Builder
		if err := r.Draw(&svg); err != nil || strings.Contains(svg.String(), "differ in") != (c.want != "") {
			t.Errorf("%+v: the chart does not say so (%v)", c, err)
		}
	}
}
