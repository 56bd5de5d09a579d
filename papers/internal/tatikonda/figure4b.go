package tatikonda

import (
	"context"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var figure4b = paper.Experiment{
	Name: "tatikonda-fig4b", Number: "Figure 4(b)", Title: "Mean latency against cores",
	Data: data, Claims: []int{3},
	Paper: paper.Values{}.Put(lead, "INTER", "8", 1).Put(lead, "FGQP (κ = 5)", "8", 5.75).Put(lead, "DOCP-UI", "8", 4.9).Put("mean latency", "INTER", "1", 9.27).
		Put("mean latency", "DOCP-UI", "2", 5.4).Put("mean latency", "DOCP-UI", "8", 1.9).Put("mean latency", "FGQP (κ = 5)", "2", 5.4).Put("mean latency", "FGQP (κ = 5)", "8", 1.61),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		b, err := newBench(e)
		if err != nil {
			return nil, err
		}
		add := func(series string, n int, sec float64) {
			rows = append(rows, paper.Row{Metric: "mean latency", Series: series, At: coreName(n), X: float64(n), Value: 1e3 * sec, Unit: "ms"})
		}
		all, err := b.saturated(ctx)
		if err != nil {
			return nil, err
		}
		for _, o := range all {
			if o.figures {
				add(o.series, o.load.workers, o.service)
			}
		}
		for _, r := range ownRuns {
			for _, n := range e.Workers {
				o, err := b.own(ctx, paper.LoadRun{Model: r.model, Algorithm: r.algorithm, Workers: n, Alone: true})
				if err != nil {
					return nil, err
				}
				add(r.name, n, o.Mean)
			}
		}
		return rows, nil
	},
	Follow: func(rows []paper.Row) []paper.Row {
		return relativeTo(rows, "mean latency", lead, func(base, v float64) float64 { return base / v })
	},
	Judge: func(t paper.Table) []paper.Verdict {
		fine, ok := at8(t, lead, "FGQP (κ = 5)")
		whole, _ := at8(t, lead, "INTER")
		part, _ := at8(t, lead, "DOCP-UI")
		n := fine.X
		if !ok || n < 2 {
			return nil
		}
		return []paper.Verdict{paper.Judge(3, fine.Value > 0.7*n*5.75/8 && whole.Value > 0.7 && whole.Value < 1.4, fine.Value > 1.2, "on %s cores FGQP divides the latency by %s, DOCP-UI by %s, INTER by %s (5.75, 4.9 and 1 on eight); a query divides into few tasks (Figure 4c)",
			fine.At, paper.Num(fine.Value), paper.Num(part.Value), paper.Num(whole.Value))}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "cores", Log: true}, LogY: true},
	Notes: []string{"latency counts from when a query leaves the entry queue, which is never empty; that of the engine's models is of queries asked alone",
		"the engine's models are compared with its own inter on one core, by the same algorithm"},
}
