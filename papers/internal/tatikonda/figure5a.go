package tatikonda

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// loads are arrival rates as shares of INTER's throughput at saturation.
var loads = []float64{0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.4}

// loaded are the models of figures 5 and 6.
var loaded = []model{inter, fgqp, docpUI}

const delay, kept, capacity = "mean latency", "answered of what arrives", "throughput at saturation"

var figure5a = paper.Experiment{
	Name: "tatikonda-fig5a", Number: "Figure 5(a)", Title: "Mean latency against arrivals",
	Data: data, Claims: []int{5, 6},
	Paper: paper.Values{}.Put(capacity, "INTER-4", "any", 400).Put(capacity, "INTER-8", "any", 800),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		b, err := newBench(e)
		if err != nil {
			return nil, err
		}
		all, err := b.saturated(ctx)
		if err != nil {
			return nil, err
		}
		for _, n := range halfAndAll(e.Workers) {
			full := runAt(all, inter.String(), n)
			rows = append(rows, paper.Row{Metric: capacity, Series: fmt.Sprintf("INTER-%d", n), At: "any", Value: full.rate, Unit: "queries/s"})
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
	Notes: []string{"the paper offers 100 to 1,400 queries/s to four and eight cores; here arrivals are shares of what INTER answers on as many cores at saturation",
		"the paper's INTER saturates at about 400 queries/s on four cores and about 800 on eight; ours, in Figure 4(a) of the same host, at 580 and 1158",
		"beyond saturation latency grows with the length of a run, here five times that of a figure, one second; the paper does not give its own",
		"the recorded run has no rates of answers: loads were shares of a rate that it measured once"},
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

// cores is the number of cores of figure 4 (c): eight, or as many as there are.
func (b *bench) cores() int {
	n := halfAndAll(b.env.Workers)
	return n[len(n)-1]
}

// arrivals measures latency at shares of a rate, and how much of it is answered.
func (b *bench) arrivals(ctx context.Context, l load, rate float64, series string) (rows []paper.Row, err error) {
	for _, share := range loads {
		l.rate = share * rate
		o, err := b.measure(ctx, l)
		if err != nil {
			return nil, err
		}
		rows = append(rows, paper.Row{Metric: delay, Series: series, At: paper.Num(share), X: share, Value: 1e3 * o.latency, Unit: "ms"},
			paper.Row{Metric: kept, Series: series, At: paper.Num(share), X: share, Value: 100 * o.share, Unit: "%"})
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
	ends := [3]float64{saturates(t, whole), saturates(t, fine), saturates(t, part)}
	early := flat < 2 && ends[2] < ends[0]
	v := paper.Judge(5, early && ends[1] == ends[0] && !math.IsInf(ends[0], 1), early, "%s: latency grows %s times from 10 %% to 50 %% of saturation, %s times from 30 %% to 140 %% (up to three orders of magnitude in the paper, which offers up to 3.5 times what saturates); %s is saturated %s, %s %s and %s %s, by %s",
		whole, paper.Num(flat), paper.Num(rise), whole, from(ends[0]), fine, from(ends[1]), part, from(ends[2]), means(t))
	if _, ok := t.Get(kept, whole, paper.Num(loads[0])); !ok && ends[1] < ends[0] {
		v.Why += "; how much throughput FGQP loses is not certain: Figures 4(a) and 4(c) differ on it"
	}
	return []paper.Verdict{
		v,
		paper.Judge(6, get(fine, 0.1) < 0.8*get(whole, 0.1), get(fine, 0.1) < get(whole, 0.1), "at 10 %% of saturation %s takes %s ms, %s %s ms", fine, paper.Num(get(fine, 0.1)), whole, paper.Num(get(whole, 0.1))),
	}
}

// saturates returns the least load of which a series answers less than 95 %, infinity if there
// is none. Latency tells where the run has no rates: it is more than three times that at 30 %.
func saturates(t paper.Table, series string) float64 {
	for _, share := range loads {
		place := paper.Num(share)
		if v, ok := t.Get(kept, series, place); ok {
			if v < 95 {
				return share
			}
			continue
		}
		low, _ := t.Get(delay, series, paper.Num(0.3))
		if v, ok := t.Get(delay, series, place); ok && share > 0.3 && v > 3*low {
			return share
		}
	}
	return math.Inf(1)
}

// means says what saturates goes by.
func means(t paper.Table) string {
	if slices.Contains(t.Metrics(), kept) {
		return "answering less than 95 % of what arrives"
	}
	return "a latency of more than three times that at 30 %, since the run has no rates"
}

// from prints a load of saturates.
func from(share float64) string {
	if math.IsInf(share, 1) {
		return "at no load measured"
	}
	return fmt.Sprintf("at %.0f %%", 100*share)
}
