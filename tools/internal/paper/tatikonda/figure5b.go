package tatikonda

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

const byTwo = "latency over that of two terms"

var figure5b = paper.Experiment{
	Name: "tatikonda-fig5b", Number: "Figure 5(b)", Title: "Mean latency against the number of terms",
	Data: data, Claims: []int{7},
	Paper: paper.Values{}.Put(byTwo, "INTER", "10", 10),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		return byTerms(ctx, e, func(m model, k int, o, two outcome) []paper.Row {
			return []paper.Row{
				{Metric: delay, Series: m.String(), At: fmt.Sprint(k), X: float64(k), Value: 1e3 * o.service, Unit: "ms"},
				{Metric: byTwo, Series: m.String(), At: fmt.Sprint(k), X: float64(k), Value: o.service / two.service, Unit: "times"},
			}
		})
	},
	Judge: func(t paper.Table) []paper.Verdict {
		v, ok := t.Get(byTwo, "INTER", "10")
		if !ok {
			return nil
		}
		return []paper.Verdict{paper.Compare(7, v, 10, 1, "latency of ten terms over that of two")}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "terms"}, LogY: true},
}

// byTerms measures the models at saturation with queries of each length.
func byTerms(ctx context.Context, e *paper.Env, take func(m model, k int, o, two outcome) []paper.Row) (rows []paper.Row, err error) {
	b, err := newBench(e)
	if err != nil {
		return nil, err
	}
	workers := halfAndAll(e.Workers)
	n := workers[len(workers)-1]
	for _, m := range loaded {
		var two outcome
		for k := 2; k <= 10; k++ {
			qs := b.set.OfLength(k)
			if len(qs) == 0 {
				continue
			}
			o, err := b.measure(ctx, load{model: m, workers: n, queries: qs})
			if err != nil {
				return nil, err
			}
			if two.rate == 0 {
				two = o
			}
			rows = append(rows, take(m, k, o, two)...)
		}
	}
	return rows, nil
}
