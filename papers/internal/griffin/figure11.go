package griffin

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var figure11 = paper.Experiment{
	Name: "griffin-fig11", Number: "Figure 11", Title: "Distribution of the number of terms",
	Data: standIn, Claims: []int{4},
	Paper: paper.Values{}.Put("share of the queries", "", "2", 27).Put("share of the queries", "", "3", 33).Put("share of the queries", "", "4", 24),
	CPU: func(_ context.Context, e *paper.Env) (rows []paper.Row, err error) {
		s, err := collection(e)
		if err != nil {
			return nil, err
		}
		for k := 2; k <= 8; k++ {
			rows = append(rows, paper.Row{Metric: "share of the queries", At: fmt.Sprint(k), X: float64(k), Value: 100 * float64(len(s.OfLength(k))) / float64(len(s.Queries)), Unit: "%"})
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		off := 0.0
		for at, want := range map[string]float64{"2": 27, "3": 33, "4": 24} {
			v, _ := t.Get("share of the queries", "", at)
			off = max(off, max(v-want, want-v))
		}
		return []paper.Verdict{paper.Given(paper.Judge(4, off < 5, off < 10, "the shares are at most %s points off: the log is generated with them", paper.Num(off)))}
	},
	Plot: paper.Plot{Kind: chart.Bars},
}
