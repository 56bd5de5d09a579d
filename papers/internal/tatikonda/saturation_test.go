package tatikonda

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/papers/internal/paper"
)

// TestMedian takes each number's median, and the spread of the rates.
func TestMedian(t *testing.T) {
	got := median([]outcome{{rate: 130, latency: 3, service: 1, share: 0.7}, {rate: 90, latency: 1, service: 2, share: 0.9}, {rate: 100, latency: 2, service: 3, share: 0.8}})
	if want := (outcome{rate: 100, latency: 2, service: 2, share: 0.8, spread: 0.4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestFigure4Agrees draws figure 4 (a) and (c) of the same outcomes: they have the same losses.
func TestFigure4Agrees(t *testing.T) {
	e := &paper.Env{Scale: 1. / 125, Small: true, Time: time.Millisecond, Workers: []int{1, 2, 8}, Dir: t.TempDir(),
		Load: func(context.Context, string, paper.LoadRun) (paper.LoadResult, error) {
			return paper.LoadResult{Throughput: 1, Mean: 1}, nil
		}}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	b, err := newBench(e)
	if err != nil {
		t.Fatal(err)
	}
	all, err := b.saturated(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range all { // in the place of what a few milliseconds give
		all[i].rate, all[i].service, all[i].spread = float64(1000-7*i), 0.001*float64(1+i), 0.01*float64(i%5)
	}
	table := func(x *paper.Experiment) paper.Table {
		rows, err := x.CPU(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		return paper.NewReport(Paper(), x, &paper.Run{Experiment: x.Name, Rows: rows}).Entries
	}
	a, c := table(&figure4a), table(&figure4c)
	for name, place := range map[string][2]string{withThreshold(5): {"FGQP", "5"}, withThreshold(150): {"FGQP", "150"}, "DOCP-UI": {"DOCP-UI", "any"}, "DOCP-PI": {"DOCP-PI", "any"}} {
		x, found := a.Get(lost, name, "8")
		if y, ok := c.Get(lost, place[0], place[1]); !found || !ok || x != y {
			t.Errorf("%s loses %v %% in figure 4 (a) and %v %% in (c)", name, x, y)
		}
	}
	if v, ok := c.Get(apart, "", "any"); !ok || v != 4 {
		t.Errorf("rounds are %v %% apart, want 4", v)
	}
	if slices.Contains(a.Series("throughput"), withThreshold(20)) {
		t.Errorf("figure 4 (a) has the thresholds of (c)")
	}
}

// TestThresholdNoise judges a loss that rises by more between thresholds than it falls from
// the first to the last.
func TestThresholdNoise(t *testing.T) {
	rows := func(values ...float64) (t paper.Table) {
		for i, v := range values {
			at := []string{"5", "20", "50", "100", "150"}[i]
			t = append(t, paper.Entry{Ours: true, Row: paper.Row{Metric: lost, Series: "FGQP", At: at, Value: v}},
				paper.Entry{Ours: true, Row: paper.Row{Metric: gained, Series: "FGQP", At: at, Value: 5.75 - 0.5*float64(i)}})
		}
		return t
	}
	for _, c := range []struct {
		table paper.Table
		holds paper.Judgement
		noise bool
	}{
		{rows(16, 12, 8, 5, 3.3), paper.Holds, false},
		{rows(8, 6, 5, 4, 3), paper.Weakly, false},
		{rows(16, -8, 0, 0, 6), paper.Weakly, true},
		{rows(5.27, -1.05, 0.62, -1.55, 2.40), paper.Weakly, true},
		{rows(2, 2, 2, 2, 3), paper.Fails, false},
	} {
		v := figure4c.Judge(c.table)[1]
		if v.Claim != 4 || v.Holds != c.holds || strings.Contains(v.Why, "noise") != c.noise {
			t.Errorf("claim %d %s: %s; want %s", v.Claim, v.Holds, v.Why, c.holds)
		}
	}
}

// TestSaturates finds where models saturate: by what they answer, and by latency in runs
// without that.
func TestSaturates(t *testing.T) {
	rows := func(metric, series string, values ...float64) (t paper.Table) {
		for i, v := range values {
			t = append(t, paper.Entry{Ours: true, Row: paper.Row{Metric: metric, Series: series, At: paper.Num(loads[i]), X: loads[i], Value: v}})
		}
		return t
	}
	latency := slices.Concat(rows(delay, "INTER-8", 8, 8, 8, 8, 9, 17, 120), rows(delay, "FGQP-8", 1.6, 2, 2, 5, 29, 135, 185), rows(delay, "DOCP-UI-8", 2, 3, 5, 24, 137, 215, 291))
	answered := slices.Concat(rows(kept, "INTER-8", 99, 99, 99, 99, 99, 94, 70), rows(kept, "FGQP-8", 99, 99, 99, 99, 97, 90, 70), rows(kept, "DOCP-UI-8", 99, 99, 99, 96, 80, 60, 50))
	for _, c := range []struct {
		name  string
		table paper.Table
		holds paper.Judgement
		ends  [3]float64
	}{
		{"latency", latency, paper.Weakly, [3]float64{1.4, 0.9, 0.7}},
		{"answers", slices.Concat(latency, answered), paper.Holds, [3]float64{1.1, 1.1, 0.9}},
	} {
		for i, s := range []string{"INTER-8", "FGQP-8", "DOCP-UI-8"} {
			if got := saturates(c.table, s); got != c.ends[i] {
				t.Errorf("%s: %s saturates at %v, want %v", c.name, s, got, c.ends[i])
			}
		}
		if v := judgeLoad(c.table)[0]; v.Holds != c.holds {
			t.Errorf("%s: claim 5 %s (%s), want %s", c.name, v.Holds, v.Why, c.holds)
		}
	}
}
