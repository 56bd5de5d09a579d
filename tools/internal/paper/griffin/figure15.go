package griffin

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

const tail, tailSpeedup = "latency", "speedup of Griffin"

var percentiles = []float64{0.8, 0.9, 0.95, 0.99, 0.999}

var percentileNames = []string{"p80", "p90", "p95", "p99", "p99.9"}

var figure15 = paper.Experiment{
	Name: "griffin-fig15", Number: "Figure 15", Title: "Tail latency",
	Data: standIn, Claims: []int{9}, Engine: true,
	Paper: paper.Values{}.Grid(tailSpeedup, percentileNames, "over CPU | 6.6 8.3 10.4 16.1 26.8"),
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
	Judge: func(t paper.Table) []paper.Verdict {
		of := t.Of(tailSpeedup, "over CPU")
		if len(of) < len(percentiles) {
			return nil
		}
		low, high, least := of[0].Value, of[3].Value, of[0].Value
		for _, e := range of {
			least = min(least, e.Value)
		}
		own, _ := t.Get(tailSpeedup, "over the engine's CPU", "p99")
		more := "it gains more in the tail"
		if high <= low {
			more = "it does not gain more in the tail, since the rule ends most queries on the CPU, which is the slower one here (Figure 14)"
		}
		return []paper.Verdict{paper.Judge(9, low > 4.6 && high > 11.3, least > 1, "over the paper's CPU method %s times at the 80th percentile and %s times at the 99th%s: %s; over the engine's CPU %s times at the 99th",
			paper.Num(low), paper.Num(high), caveat(t, tail), more, paper.Num(own))}
	},
	Plot:  paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{timedOnce, eighth, fmt.Sprintf("up to %d queries, the paper 10,000: its 99.9th percentile is our slowest", 300)},
}

// tails returns the percentiles.
func (l *latencies) tails(name string) (rows []paper.Row) {
	for i, p := range percentiles {
		rows = append(rows, paper.Row{Metric: tail, Series: name, At: percentileNames[i], X: float64(i), Value: 1e3 * l.percentile(name, p), Unit: "ms"})
	}
	return rows
}
