package ding

import (
	"testing"

	"github.com/pinion-index/pinion/papers/internal/paper"
)

// TestCurves simulates queries of 0.1 to 1.5 ms on a core, and a tenth of that on the GPU: both in
// parallel sustain more than either alone.
func TestCurves(t *testing.T) {
	var costs []cost
	for _, ms := range []float64{0.1, 0.3, 1.5, 0.2, 0.4} {
		t := [2]float64{ms / 1e3, ms / 1e4}
		costs = append(costs, cost{t, t})
	}
	rows := curves(costs, true)
	most := map[string]float64{}
	for _, r := range rows {
		if r.Metric == sustained && r.At == inTime {
			most[r.Series] = r.Value
		}
	}
	both := most["CPU+GPU parallel"]
	for _, alone := range []string{cpuBeside, "GPU only", "CPU+GPU serialized"} {
		if most[alone] <= 0 || both <= most[alone] {
			t.Errorf("%s sustains %.0f arrivals/s, both in parallel %.0f", alone, most[alone], both)
		}
	}
}

// TestParallelGains judges claim 10 by both of its halves: what parallel sustains beyond one core, and
// beyond the better of the other configurations.
func TestParallelGains(t *testing.T) {
	for _, c := range []struct {
		cpu, gpu, serial, both float64
		want                   paper.Judgement
	}{
		{100, 150, 200, 300, paper.Holds},
		{100, 400, 200, 300, paper.Weakly},
		{100, 200, 400, 300, paper.Weakly},
		{100, 0, 0, 150, paper.Weakly},
		{100, 0, 0, 110, paper.Fails},
	} {
		var table paper.Table
		for series, v := range map[string]float64{cpuBeside: c.cpu, "GPU only": c.gpu, "CPU+GPU serialized": c.serial, "CPU+GPU parallel": c.both} {
			table = append(table, paper.Entry{Row: paper.Row{Metric: sustained, Series: series, At: inTime, Value: v}, Ours: true})
		}
		verdicts := figure7.Judge(table)
		if len(verdicts) != 1 || verdicts[0].Holds != c.want {
			t.Errorf("of %+v: %+v", c, verdicts)
		}
	}
}
