package tatikonda

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const byTwo = "latency over that of two terms"

var figure5b = paper.Experiment{
	Name: "tatikonda-fig5b", Number: "Figure 5(b)", Title: "Mean latency against the number of terms",
	Data: data, Claims: []int{7},
	Paper: paper.Values{}.Put(byTwo, "INTER", "10", 10),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		return byTerms(ctx, e, func(series string, k int, o, two outcome) []paper.Row {
			return []paper.Row{
				{Metric: delay, Series: series, At: fmt.Sprint(k), X: float64(k), Value: 1e3 * o.service, Unit: "ms"},
				{Metric: byTwo, Series: series, At: fmt.Sprint(k), X: float64(k), Value: o.service / two.service, Unit: "times"},
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
	Plot:  paper.Plot{X: chart.Axis{Label: "terms"}, LogY: true},
	Notes: []string{"at scale 1 there are 2,222 queries of each length, and 1,111 at 1/4; the paper has 10,000", "the latency of the engine's models is of queries asked alone"},
}

// ofLength is what a series reaches with queries of k terms, and with the shortest.
type ofLength struct {
	series string
	k      int
	o, two outcome
}

// byTerms measures the models at saturation with queries of each length, once for the
// figures that show it.
func byTerms(ctx context.Context, e *paper.Env, take func(series string, k int, o, two outcome) []paper.Row) (rows []paper.Row, err error) {
	all, err := paper.Once(e, "tatikonda lengths", func() ([]ofLength, error) {
		b, err := newBench(e)
		if err != nil {
			return nil, err
		}
		return b.lengths(ctx)
	})
	for _, l := range all {
		rows = append(rows, take(l.series, l.k, l.o, l.two)...)
	}
	return rows, err
}

func (b *bench) lengths(ctx context.Context) (all []ofLength, err error) {
	n := b.cores()
	each := func(series string, measure func(qs [][]int) (outcome, error)) {
		var two outcome
		for k := 2; k <= 10 && err == nil; k++ {
			qs := b.set.OfLength(k)
			if len(qs) == 0 {
				continue
			}
			var o outcome
			if o, err = measure(qs); two.rate == 0 {
				two = o
			}
			all = append(all, ofLength{series, k, o, two})
		}
	}
	for _, m := range loaded {
		each(m.String(), func(qs [][]int) (outcome, error) {
			return b.measure(ctx, load{model: m, workers: n, queries: qs})
		})
	}
	for _, m := range []string{"inter", "fgqp"} {
		each("the engine's "+m, func(qs [][]int) (outcome, error) {
			r := paper.LoadRun{Queries: b.set.Texts(qs), Model: m, Workers: n, Algorithm: smallAdaptiveName}
			full, err := b.own(ctx, r)
			if err != nil {
				return outcome{}, err
			}
			r.Alone = true
			alone, err := b.own(ctx, r)
			return outcome{rate: full.Throughput, service: alone.Mean}, err
		})
	}
	return all, err
}
