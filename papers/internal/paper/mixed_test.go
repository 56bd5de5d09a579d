package paper

import (
	"strings"
	"testing"
)

// TestMixed draws rows of two runs that have all in common, or not.
func TestMixed(t *testing.T) {
	x := &Experiment{Name: "x", Number: "Figure 1", Title: "Both"}
	p := &Paper{Title: "P", Experiments: []Experiment{*x}}
	for _, c := range []struct {
		cpu   string
		cores int
		scale string
		docs  map[string]int
		want  string
	}{
		{"A", 2, "1", nil, ""},
		{"A", 2, "1/4", nil, "scale"},
		{"B", 2, "1", nil, "machine"},
		{"B", 2, "1/4", nil, "machine and scale"},
		{"A", 4, "1", nil, "cores"},
		{"A", 2, "1", map[string]int{"T": 5, "U": 7}, ""},
		{"A", 2, "1", map[string]int{"T": 6}, "documents"},
		{"B", 4, "1/4", map[string]int{"T": 6}, "machine, cores, scale and documents"},
	} {
		one := &Run{Half: CPUHalf, CPU: "A", Cores: 2, Scale: "1", Documents: map[string]int{"T": 5}, Rows: []Row{{Metric: "m", Series: "s", At: "a", Value: 1}}}
		two := &Run{Half: GPUHalf, CPU: c.cpu, Cores: c.cores, Scale: c.scale, Documents: c.docs, Rows: []Row{{Metric: "m", Series: "t", At: "a", Value: 2}}}
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

// TestUnmix judges runs that differ: a verdict that one of them gives by itself stays, and one that
// takes rows of both does not, unless only the number of cores differs.
func TestUnmix(t *testing.T) {
	x := &Experiment{Name: "x", Claims: []int{1, 2, 3, 4}, Judge: func(t Table) (out []Verdict) {
		a, okA := t.Get("m", "s", "a")
		b, okB := t.Get("m", "t", "a")
		if okA {
			out = append(out, Judge(1, true, true, "of s, %s", Num(a)), Judge(3, b > 0, true, "of s, %s, and perhaps %s", Num(a), Num(b)))
		}
		if okB {
			out = append(out, Judge(2, true, true, "of t, %s", Num(b)))
			out = append(out, Judge(4, a > b, true, "s over t, %s", Num(a/b)))
		}
		return out
	}}
	p := &Paper{Title: "P", Experiments: []Experiment{*x}}
	for _, c := range []struct {
		cpu, scale string
		cores      int
		want       [4]string
	}{
		{"A", "1", 2, [4]string{"holds of s, 6.00", "holds of t, 2.00", "holds of s, 6.00, and perhaps 2.00", "holds s over t, 3.00"}},
		{"A", "1", 4, [4]string{"holds of s, 6.00", "holds of t, 2.00", "holds of s, 6.00, and perhaps 2.00; the runs differ in cores", "holds s over t, 3.00; the runs differ in cores"}},
		{"A", "1/4", 2, [4]string{"holds of s, 6.00", "holds of t, 2.00", "holds more weakly of s, 6.00, and perhaps 0", "not measured the runs differ in scale, and none of them has all rows for it"}},
		{"B", "1", 2, [4]string{"holds of s, 6.00", "holds of t, 2.00", "holds more weakly of s, 6.00, and perhaps 0", "not measured the runs differ in machine, and none of them has all rows for it"}},
	} {
		one := &Run{Half: CPUHalf, CPU: "A", Cores: 2, Scale: "1", Rows: []Row{{Metric: "m", Series: "s", At: "a", Value: 6}}}
		two := &Run{Half: GPUHalf, CPU: c.cpu, Cores: c.cores, Scale: c.scale, Rows: []Row{{Metric: "m", Series: "t", At: "a", Value: 2}}}
		for i, v := range NewReport(p, x, one, two).Verdicts {
			if got := string(v.Holds) + " " + v.Why; v.Claim != i+1 || got != c.want[i] {
				t.Errorf("%s, %s, %d cores: claim %d %s, want %s", c.cpu, c.scale, c.cores, v.Claim, got, c.want[i])
			}
		}
	}
}
