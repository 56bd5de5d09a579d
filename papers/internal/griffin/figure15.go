package griffin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const tail, tailSpeedup = "latency", "speedup of Griffin"

var percentiles = []float64{0.8, 0.9, 0.95, 0.99, 0.999}

var percentileNames = []string{"p80", "p90", "p95", "p99", "p99.9"}

// tailPaper are the speedups of the paper.
var tailPaper = paper.Values{}.Grid(tailSpeedup, percentileNames, "over CPU | 6.6 8.3 10.4 16.1 26.8")

var figure15 = paper.Experiment{
	Name: "griffin-fig15", Number: "Figure 15", Title: "Tail latency",
	Data: standIn, Claims: []int{9},
	Paper: tailPaper,
	CPU: func(_ context.Context, e *paper.Env) ([]paper.Row, error) {
		s, err := collection(e)
		if err != nil {
			return nil, err
		}
		l, err := onOneCore(e, s, "CPU")
		if err != nil {
			return nil, err
		}
		return l.tails("CPU"), nil
	},
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		l, err := onBoth(ctx, e)
		if err != nil {
			return nil, err
		}
		for _, name := range l.names {
			rows = append(rows, l.tails(name)...)
		}
		for _, over := range [][2]string{{"over CPU", cpuBeside}, {"over the engine's CPU", "the engine's CPU"}} {
			for i, p := range percentiles {
				rows = append(rows, paper.Row{Metric: tailSpeedup, Series: over[0], At: percentileNames[i], X: float64(i), Value: l.percentile(over[1], p) / l.percentile("Griffin", p), Unit: "times"})
			}
		}
		return rows, nil
	},
	Judge: judgeTail,
	Plot:  paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{timed, eighth, fmt.Sprintf("up to %d queries, the paper 10,000: its 99.9th percentile is our slowest", 300)},
}

// judgeTail judges claim 9 by all percentiles.
func judgeTail(t paper.Table) []paper.Verdict {
	of := t.Of(tailSpeedup, "over CPU")
	if len(of) < len(percentiles) {
		return nil
	}
	holds, most := true, 0
	var all []string
	for i, e := range of {
		holds = holds && e.Value-1 >= 0.7*(tailPaper[e.Key()]-1)
		if e.Value > of[most].Value {
			most = i
		}
		all = append(all, paper.Num(e.Value))
	}
	least := slices.MinFunc(of, func(a, b paper.Entry) int { return cmp.Compare(a.Value, b.Value) }).Value
	v := paper.Judge(9, holds, least > 1, "Griffin is %s times as fast as the paper's CPU method at the five percentiles", listed(all))
	switch most {
	case 0:
		v.Why += ": it does not gain more in the tail"
	case len(of) - 1:
		v.Why += ": it gains more in the tail"
	default:
		v.Why += fmt.Sprintf(": it gains more up to %s, and not beyond", of[most].At)
	}
	var own []string
	for _, e := range t.Of(tailSpeedup, "over the engine's CPU") {
		own = append(own, paper.Num(e.Value))
	}
	if len(own) > 0 {
		v.Why += fmt.Sprintf("; it is %s times as fast as the engine's CPU", listed(own))
	}
	return []paper.Verdict{v}
}

// listed joins numbers with commas and a last "and".
func listed(all []string) string {
	n := len(all) - 1
	return strings.Join(all[:n], ", ") + " and " + all[n]
}

// tails returns the percentiles.
func (l *latencies) tails(name string) (rows []paper.Row) {
	for i, p := range percentiles {
		rows = append(rows, paper.Row{Metric: tail, Series: name, At: percentileNames[i], X: float64(i), Value: 1e3 * l.percentile(name, p), Unit: "ms"})
	}
	return rows
}
