package griffin

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const (
	latency, meanSpeedup = "mean latency", "speedup of Griffin, mean"
	stepsAQuery, ofAStep = "steps of a query", "time of a step"
)

var figure14 = paper.Experiment{
	Name: "griffin-fig14", Number: "Figure 14", Title: "Query latency by the number of terms",
	Data: standIn, Claims: []int{8},
	Paper: paper.Values{}.Put(meanSpeedup, "over CPU", "all", 10).Put(meanSpeedup, "over Griffin-GPU", "all", 1.5),
	CPU: func(_ context.Context, e *paper.Env) ([]paper.Row, error) {
		s, err := collection(e)
		if err != nil {
			return nil, err
		}
		l, err := onOneCore(e, s, "CPU")
		if err != nil {
			return nil, err
		}
		return l.byTerms("CPU"), nil
	},
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		l, err := onBoth(ctx, e)
		if err != nil {
			return nil, err
		}
		for _, name := range l.names {
			rows = append(rows, l.byTerms(name)...)
		}
		rows = append(rows, l.stepRows()...)
		for _, over := range [][2]string{{"over CPU", cpuBeside}, {"over Griffin-GPU", "Griffin-GPU"}, {"over the engine's CPU", "the engine's CPU"}} {
			rows = append(rows, paper.Row{Metric: meanSpeedup, Series: over[0], At: "all", Value: l.mean(over[1], 0) / l.mean("Griffin", 0), Unit: "times"})
		}
		return rows, nil
	},
	Judge: judgeMean,
	Plot:  paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{"CPU is the paper's method: PForDelta lists merged or searched by skip pointers, without scores; Griffin steps between processors by the ratio alone, with ef lists that are resident, and scores the results",
		timed, eighth,
		"steps are what a query that is alone takes in Search of hybrid.Open, and what idxquery --trace --device hybrid shows; a query on the GPU alone searches at every ratio",
	},
}

// judgeMean judges claim 8 by both of its halves, the paper's CPU method and the GPU alone.
func judgeMean(t paper.Table) []paper.Verdict {
	cpu, ok := t.Get(meanSpeedup, "over CPU", "all")
	gpu, _ := t.Get(meanSpeedup, "over Griffin-GPU", "all")
	if !ok {
		return nil
	}
	v := paper.Judge(8, cpu >= 7 && gpu >= 1.35, cpu > 1 && gpu > 1, "Griffin's rule is %s times as fast as the paper's CPU method (10 in the paper), and %s times as fast as the GPU alone (1.5)", paper.Num(cpu), paper.Num(gpu))
	if own, ok := t.Get(meanSpeedup, "over the engine's CPU", "all"); ok {
		v.Why += fmt.Sprintf("; it is %s times as fast as the engine's CPU", paper.Num(own))
		if own < 1 {
			v.Why += ", which is the faster one"
		}
	}
	if us, ok := t.Get(ofAStep, "Griffin", "CPU"); ok {
		there, _ := t.Get(ofAStep, "Griffin", "GPU")
		alone, _ := t.Get(ofAStep, "Griffin-GPU", "GPU")
		n, _ := t.Get(stepsAQuery, "Griffin", "CPU")
		v.Why += fmt.Sprintf("; the rule goes by the ratio alone (Figure 8), and moves what is left of %s %% of the queries to the CPU: that step takes %s us, one before it on the GPU %s, and a step on the GPU alone %s",
			paper.Num(100*n), paper.Num(us), paper.Num(there), paper.Num(alone))
	}
	if rule, ok := t.Get(latency, "the engine's rule", "3"); ok {
		griffin, _ := t.Get(latency, "Griffin", "3")
		v.Why += fmt.Sprintf("; with the engine's rule a query of three terms takes %s ms, with Griffin's %s", paper.Num(rule), paper.Num(griffin))
	}
	return []paper.Verdict{v}
}

// byTerms returns the mean latencies of the queries with 2 to 6 terms.
func (l *latencies) byTerms(name string) (rows []paper.Row) {
	for k := 2; k <= 6; k++ {
		if v := l.mean(name, k); v > 0 {
			rows = append(rows, paper.Row{Metric: latency, Series: name, At: fmt.Sprint(k), X: float64(k), Value: 1e3 * v, Unit: "ms"})
		}
	}
	return rows
}

// stepRows returns how many steps a query takes on either processor, and their time.
func (l *latencies) stepRows() (rows []paper.Row) {
	for _, name := range l.names {
		s := l.steps[name]
		if s == nil {
			continue
		}
		for i, on := range []string{"GPU", "CPU"} {
			rows = append(rows, paper.Row{Metric: stepsAQuery, Series: name, At: on, X: float64(i), Value: s.n[i] / float64(max(len(l.queries), 1))})
			if s.n[i] > 0 {
				rows = append(rows, paper.Row{Metric: ofAStep, Series: name, At: on, X: float64(i), Value: 1e6 * s.took[i] / s.n[i], Unit: "us"})
			}
		}
	}
	return rows
}
