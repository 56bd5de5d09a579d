package ding

import (
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/papers/internal/paper"
)

// TestOneCore measures one core with and without pruning.
func TestOneCore(t *testing.T) {
	e := &paper.Env{Scale: 1. / 512, Small: true, Dir: t.TempDir()}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	rows, err := table2.CPU(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		if r.Value <= 0 {
			t.Errorf("%+v", r)
		}
		got = append(got, r.Series+" "+r.At)
	}
	want := []string{"CPU, one core AND", "CPU, one core, without pruning AND", "CPU, one core OR", "CPU, one core, without pruning OR", "CPU, one core AND+OR"}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

// TestStepsFirst judges claim 8 by the paper's steps and by a core that does not prune, where they were
// measured.
func TestStepsFirst(t *testing.T) {
	var table paper.Table
	put := func(series string, and, or float64) {
		for at, v := range map[string]float64{"AND": and, "OR": or} {
			table = append(table, paper.Entry{Row: paper.Row{Metric: queryTime, Series: series, At: at, Value: v}, Ours: true})
		}
	}
	judge := func(want paper.Judgement, words ...string) {
		t.Helper()
		v := judgeTimes(table)
		if len(v) != 1 || v[0].Holds != want || slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(v[0].Why, w) }) {
			t.Errorf("%+v, want %s and %q", v, want, words)
		}
	}
	put(oneCoreBeside, 3, 5)
	put(byEngine, 0.1, 0.125)
	if v := judgeTimes(table); v != nil {
		t.Errorf("without a core that does not prune: %+v", v)
	}
	put(oneCoreBeside+withoutPruning, 4, 6)
	judge(paper.Weakly, "kernels, the GPU answers AND 40.0 times and OR 48.0 times as fast as one core that does not prune, and AND 30.0 times and OR 40.0 times as fast as one that prunes")
	put(stepByStep, 0.5, 1)
	judge(paper.Fails, "steps the GPU answers AND 8.00 times and OR 6.00 times", "AND 6.00 times and OR 5.00 times as fast as one that prunes", "AND 40.0 times as fast and OR 48.0")
	table = nil
	put(oneCoreBeside+withoutPruning, 3, 50)
	put(stepByStep, 0.5, 1)
	judge(paper.Holds, "steps the GPU answers AND 6.00 times and OR 50.0 times as fast as one core")
}
