package ding

import (
	"strings"
	"testing"

	"github.com/pinion-index/pinion/papers/internal/paper"
)

// TestUnequalSteps judges claim 9 by the GPU's steps: those of one core do more work, and their times do
// not explain the GPU's.
func TestUnequalSteps(t *testing.T) {
	var table paper.Table
	put := func(metric, series, at string, v float64) {
		table = append(table, paper.Entry{Row: paper.Row{Metric: metric, Series: series, At: at, Value: v}, Ours: true})
	}
	for at, v := range map[string]float64{"decompression": 14523, "scoring": 2305} {
		put(stepTime, "AND", at, v)
		put(stepTime, "AND, GPU", at, v/100)
		put(share, "AND, GPU", at, 40)
	}
	put(share, "AND, GPU", "top-k", 10)
	put(share, "OR, GPU", "scoring", 27)
	v := table3.Judge(table)
	if len(v) != 1 || v[0].Holds != paper.Fails || strings.Contains(v[0].Why, "one core") || strings.Contains(v[0].Why, "14523") {
		t.Errorf("%+v", v)
	}
}
