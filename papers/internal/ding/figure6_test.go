package ding

import (
	"testing"

	"github.com/pinion-index/pinion/papers/internal/paper"
)

// TestModerateRise judges claim 7 by how much the cost rises, beside the paper's 3.75 times, and by its
// end.
func TestModerateRise(t *testing.T) {
	for _, c := range []struct {
		first, last float64
		want        paper.Judgement
	}{{4, 15, paper.Holds}, {1, 3, paper.Holds}, {1, 1.7, paper.Weakly}, {1, 0.9, paper.Fails}, {4, 16, paper.Fails}} {
		table := paper.Table{
			{Row: paper.Row{Metric: uneven, Series: "3 levels", At: "200K", Value: c.first}, Ours: true},
			{Row: paper.Row{Metric: uneven, Series: "3 levels", At: "12800K", Value: c.last}, Ours: true},
		}
		verdicts := figure6.Judge(table)
		if len(verdicts) != 1 || verdicts[0].Holds != c.want {
			t.Errorf("of %+v: %+v", c, verdicts)
		}
	}
}
