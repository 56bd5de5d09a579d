package ao

import (
	"context"

	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

const response = "response time"

var figure6 = paper.Experiment{
	Name: "ao-fig6", Number: "Figure 6", Title: "Response time on GOV against the computational threshold",
	Data: "the GOV stand-in and queries like T06", Claims: []int{6}, Engine: true,
	OwnAdds: "the same as in Figure 5",
	Paper:   paper.Values{}.Put(response, "HS256_LRC", "1M", 2.18),
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		points, err := sweep(ctx, e)
		for _, p := range points {
			rows = append(rows, paper.Row{Metric: response, Series: p.way, At: thresholdName(p.c), X: float64(p.c), Value: 1e3 * p.seconds, Unit: "ms"})
		}
		return rows, err
	},
	Judge: func(t paper.Table) []paper.Verdict {
		bs, ok := t.Get(response, "BS", "1M")
		if !ok {
			return nil
		}
		few, _ := t.Get(response, "BS", "32K")
		other, _ := t.Get(response, "HS256", "32K")
		return []paper.Verdict{paper.Judge(6, bs < 3 && max(few, other) < 1.3*min(few, other), bs < 3, "a batch of c = 1M takes %s ms with BS; at 32K BS takes %s ms and HS256 %s ms", paper.Num(bs), paper.Num(few), paper.Num(other))}
	},
	Plot:  paper.Plot{X: chart.Axis{Label: "c", Log: true}, LogY: true},
	Notes: []string{"a batch with the copies of its queries and results"},
}
