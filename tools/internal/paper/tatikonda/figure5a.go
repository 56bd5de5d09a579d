package tatikonda

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

// loads are arrival rates as shares of INTER's throughput at saturation.
var loads = []float64{0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.4}

// loaded are the models of figures 5 and 6.
var loaded = []model{inter, fgqp, docpUI}

const delay = "mean latency"

var figure5a = paper.Experiment{
	Name: "tatikonda-fig5a", Number: "Figure 5(a)", Title: "Mean latency against arrivals",
	Data: data, Claims: []int{5, 6},
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		b, err := newBench(e)
		if err != nil {
			return nil, err
		}
		for _, n := range halfAndAll(e.Workers) {
			full, err := b.measure(ctx, load{model: inter, workers: n})
			if err != nil {
				return nil, err
			}
			more, err := b.ownArrivals(ctx, nil, n, fmt.Sprintf("-%d", n))
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
			for _, m := range loaded {
				more, err := b.arrivals(ctx, load{model: m, workers: n}, full.rate, fmt.Sprintf("%v-%d", m, n))
				if err != nil {
					return nil, err
				}
				rows = append(rows, more...)
			}
		}
		return rows, nil
	},
	Judge: judgeLoad,
	Plot:  paper.Plot{X: chart.Axis{Label: "arrivals, share of INTER's throughput"}, LogY: true},
	Notes: []string{"the paper offers 100 to 1,400 queries/s to four and eight cores; here arrivals are shares of what INTER answers on as many cores at saturation"},
}

// halfAndAll returns at most two numbers of cores: up to eight, and half of that.
func halfAndAll(workers []int) []int {
	var out []int
	for _, n := range workers {
		if n <= 8 {
			out = append(out, n)
		}
	}
	return out[max(len(out)-2, 0):]
}

// arrivals measures latency at shares of a rate.
func (b *bench) arrivals(ctx context.Context, l load, rate float64, series string) (rows []paper.Row, err error) {
	for _, share := range loads {
		l.rate = share * rate
		o, err := b.measure(ctx, l)
		if err != nil {
			return nil, err
		}
		rows = append(rows, paper.Row{Metric: delay, Series: series, At: paper.Num(share), X: share, Value: 1e3 * o.latency, Unit: "ms"})
	}
	return rows, nil
}

// ownArrivals measures the engine's models, with the paper's algorithm, at shares of what its
// inter answers at saturation.
func (b *bench) ownArrivals(ctx context.Context, queries [][]int, workers int, suffix string) (rows []paper.Row, err error) {
	r := paper.LoadRun{Model: "inter", Workers: workers, Algorithm: smallAdaptiveName}
	if queries != nil {
		r.Queries = b.set.Texts(queries)
	}
	full, err := b.own(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, m := range []string{"inter", "fgqp"} {
		for _, share := range loads {
			r.Model, r.Rate = m, share*full.Throughput
			o, err := b.own(ctx, r)
			if err != nil {
				return nil, err
			}
			rows = append(rows, paper.Row{Metric: delay, Series: "the engine's " + m + suffix, At: paper.Num(share), X: share, Value: 1e3 * o.Mean, Unit: "ms"})
		}
	}
	return rows, nil
}

func judgeLoad(t paper.Table) []paper.Verdict {
	series := t.Series(delay)
	if len(series) < 3 {
		return nil
	}
	get := func(name string, share float64) float64 { v, _ := t.Get(delay, name, paper.Num(share)); return v }
	whole, fine, part := series[len(series)-3], series[len(series)-2], series[len(series)-1]
	rise := get(whole, 1.4) / get(whole, 0.3)
	flat := get(whole, 0.5) / get(whole, 0.1)
	early := get(part, 0.9) / get(part, 0.3)
	late := get(whole, 0.9) / get(whole, 0.3)
	mid := get(fine, 0.9) / get(fine, 0.3)
	return []paper.Verdict{
		paper.Judge(5, rise > 10 && flat < 2 && early > 2*max(late, mid) && mid < 3*late, rise > 5 && early > late, "%s: latency grows %s times from 10 %% to 50 %% of saturation, %s times from 30 %% to 140 %%; from 30 %% to 90 %% it grows %s times with %s, %s with %s and %s with %s, so that FGQP saturates %s",
			whole, paper.Num(flat), paper.Num(rise), paper.Num(late), whole, paper.Num(mid), fine, paper.Num(early), part, when(mid < 3*late)),
		paper.Judge(6, get(fine, 0.1) < 0.8*get(whole, 0.1), get(fine, 0.1) < get(whole, 0.1), "at 10 %% of saturation %s takes %s ms, %s %s ms", fine, paper.Num(get(fine, 0.1)), whole, paper.Num(get(whole, 0.1))),
	}
}

func when(same bool) string {
	if same {
		return "with INTER"
	}
	return "before INTER, by the throughput that it loses (Figure 4c)"
}
