package griffin

import (
	"strings"
	"testing"

	"github.com/pinion-index/pinion/papers/internal/paper"
)

// TestJudgeLike judges claim 7 by single pairs if they were measured, and otherwise by the engine's
// batches.
func TestJudgeLike(t *testing.T) {
	var table paper.Table
	put := func(metric, series, at string, v float64) {
		table = append(table, paper.Entry{Row: paper.Row{Metric: metric, Series: series, At: at, Value: v}, Ours: true})
	}
	put(pairTime, "CPU merge", "1K", 1)
	put(pairTime, "CPU binary", "1K", 2)
	judge := func(want paper.Judgement, words string) {
		t.Helper()
		v := judgeLike(table)
		if len(v) != 1 || v[0].Holds != want || !strings.Contains(v[0].Why, words) {
			t.Errorf("%+v, want %s and %q", v, want, words)
		}
	}
	judge(paper.Weakly, "not measured")
	for i, v := range []float64{170, 600, 2.2} {
		put(mostGained, engineSpeedups[i], "all", v)
	}
	put(pairTime, "GPU merge", "1K", 1)
	put(pairTime, "GPU binary", "1K", 2)
	judge(paper.Holds, "up to 170 times the CPU's and up to 2.20 times the GPU's search, ahead of it at 1 of 1")
	for i, v := range []float64{150, 250, 1.3, 210} {
		put(mostGained, ownSpeedups[i], "all", v)
	}
	put(pairTime, "CPU merge beside it", "1K", 1)
	put(pairTime, "CPU binary beside it", "1K", 3)
	put(pairTime, "GPU merge, alone", "1K", 2)
	put(pairTime, "GPU binary, alone", "1K", 1)
	judge(paper.Weakly, "up to 150 times the CPU's and alone up to 1.30 times the GPU's search, ahead of it at 0 of 1 lengths; on the CPU merging the longest lists is 3.00 times")
}
