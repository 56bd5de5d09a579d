package tatikonda

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const fewer = "throughput with two terms over this one"

var figure5c = paper.Experiment{
	Name: "tatikonda-fig5c", Number: "Figure 5(c)", Title: "Throughput against the number of terms",
	Data: data, Claims: []int{7},
	Paper: paper.Values{}.Put(fewer, "INTER", "10", 11),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		return byTerms(ctx, e, func(series string, k int, o, two outcome) []paper.Row {
			return []paper.Row{
				{Metric: "throughput", Series: series, At: fmt.Sprint(k), X: float64(k), Value: o.rate, Unit: "queries/s"},
				{Metric: fewer, Series: series, At: fmt.Sprint(k), X: float64(k), Value: two.rate / o.rate, Unit: "times"},
			}
		})
	},
	Judge: func(t paper.Table) []paper.Verdict {
		v, ok := t.Get(fewer, "INTER", "10")
		if !ok {
			return nil
		}
		return []paper.Verdict{paper.Compare(7, v, 11, 1, "throughput with two terms over that with ten")}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "terms"}, LogY: true},
}
