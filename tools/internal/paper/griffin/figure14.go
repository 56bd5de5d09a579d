package griffin

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

const (
	latency, meanSpeedup = "mean latency", "speedup of Griffin, mean"
	stepsAQuery, ofAStep = "steps of a query", "time of a step"
)

var figure14 = paper.Experiment{
	Name: "griffin-fig14", Number: "Figure 14", Title: "Query latency by the number of terms",
	Data: standIn, Claims: []int{8}, Engine: true,
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
	Judge: func(t paper.Table) []paper.Verdict {
		cpu, ok := t.Get(meanSpeedup, "over CPU", "all")
		gpu, _ := t.Get(meanSpeedup, "over Griffin-GPU", "all")
		own, _ := t.Get(meanSpeedup, "over the engine's CPU", "all")
		if !ok {
			return nil
		}
		v := paper.Judge(8, cpu >= 7 && gpu >= 1.35, cpu > 1 && gpu > 1, "Griffin's rule is %s times as fast as the paper's CPU method%s, and %s times as fast as the GPU alone; over the engine's CPU it gains %s times",
			paper.Num(cpu), caveat(t, latency), paper.Num(gpu), paper.Num(own))
		if us, ok := t.Get(ofAStep, "Griffin", "CPU"); ok {
			there, _ := t.Get(ofAStep, "Griffin-GPU", "GPU")
			n, _ := t.Get(stepsAQuery, "Griffin", "CPU")
			rule, _ := t.Get(latency, "the engine's rule", "3")
			griffin, _ := t.Get(latency, "Griffin", "3")
			v.Why += fmt.Sprintf("; the paper's crossover, a ratio of 128, is its GPU's: here the GPU is ahead up to 1024 (Figure 8), so that the rule moves what is left of %s %% of the queries to the CPU, where that step takes %s us and one on the GPU %s; with the engine's rule a query of three terms takes %s ms, with Griffin's %s",
				paper.Num(100*n), paper.Num(us), paper.Num(there), paper.Num(rule), paper.Num(griffin))
		}
		return []paper.Verdict{v}
	},
	Plot: paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{"CPU is the paper's method: PForDelta lists merged or searched by skip pointers, without scores; Griffin steps between processors by the ratio alone, with ef lists that are resident, and scores the results",
		timedOnce, eighth,
		"steps are what a query that is alone takes in Search of hybrid.Open, and what idxquery --trace --device hybrid and idxbench steps show; a query on the GPU alone searches at every ratio",
	},
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
