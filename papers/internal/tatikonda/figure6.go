package tatikonda

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var figure6 = paper.Experiment{
	Name: "tatikonda-fig6", Number: "Figure 6", Title: "Mean latency against arrivals, queries with 4 and 6 terms",
	Data: data, Claims: []int{8},
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		b, err := newBench(e)
		if err != nil {
			return nil, err
		}
		n := b.cores()
		four, err := b.medians(ctx, []load{{model: inter, workers: n, queries: b.set.OfLength(4)}})
		if err != nil {
			return nil, err
		}
		for _, k := range []int{4, 6} {
			for _, m := range loaded {
				more, err := b.arrivals(ctx, load{model: m, workers: n, queries: b.set.OfLength(k)}, four[0].rate, fmt.Sprintf("%v, %d terms", m, k))
				if err != nil {
					return nil, err
				}
				rows = append(rows, more...)
			}
		}
		for _, k := range []int{4, 6} {
			more, err := b.ownArrivals(ctx, b.set.OfLength(k), n, fmt.Sprintf(", %d terms", k))
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		short, ok := t.Get(delay, "INTER, 4 terms", "0.900")
		long, _ := t.Get(delay, "INTER, 6 terms", "0.900")
		if !ok {
			return nil
		}
		few, many := saturates(t, "INTER, 4 terms"), saturates(t, "INTER, 6 terms")
		return []paper.Verdict{paper.Judge(8, many < few, long > short, "with four terms INTER is saturated %s of what it answers of them, with six %s of that, by %s; at 90 %% four terms take %s ms and six %s ms",
			from(few), from(many), means(t), paper.Num(short), paper.Num(long))}
	},
	Plot:  paper.Plot{X: chart.Axis{Label: "arrivals, share of INTER's throughput with 4 terms"}, LogY: true},
	Notes: []string{"arrivals at the engine's models are shares of what its inter answers with as many terms"},
}
