package ding

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/corpus"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

const queryTime = "time of a query"

var table2 = paper.Experiment{
	Name: "ding-tab2", Number: "Table 2", Title: "Time of a query, top 10",
	Data: data, Claims: []int{8}, Engine: true,
	OwnAdds: "the paper's steps, one launch each",
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for i, m := range modes {
			t, err := cpuTimes(ctx, e, timedSet, m)
			if err != nil {
				return nil, err
			}
			rows = append(rows, paper.Row{Metric: queryTime, Series: "CPU, one core", At: modeNames[i], X: float64(i), Value: 1e3 * mean(t), Unit: "ms"})
		}
		return rows, nil
	},
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for i, m := range modes {
			one, batch, err := gpuTimes(ctx, e, timedSet, m, gpuload.ListByList)
			if err != nil {
				return nil, err
			}
			cpu, err := cpuTimes(ctx, e, timedSet, m)
			if err != nil {
				return nil, err
			}
			row := func(series string, v float64) {
				rows = append(rows, paper.Row{Metric: queryTime, Series: series, At: modeNames[i], X: float64(i), Value: 1e3 * v, Unit: "ms"})
			}
			row("GPU, one by one", mean(one))
			row("GPU, in a batch", batch)
			row("CPU beside it, one core", mean(cpu))
			if m == query.Or {
				one, _, err = gpuTimes(ctx, e, timedSet, m, gpuload.GlobalAccumulators)
				row("GPU, one by one, an accumulator for every document", mean(one))
			}
			if err != nil {
				return nil, err
			}
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		over := func(at string) float64 {
			cpu, _ := t.Get(queryTime, "CPU beside it, one core", at)
			gpu, ok := t.Get(queryTime, "GPU, one by one", at)
			if !ok {
				return 0
			}
			return cpu / gpu
		}
		and, or := over("AND"), over("OR")
		if and == 0 {
			return nil
		}
		return []paper.Verdict{paper.Judge(8, and > 1 && or > 2*and, or > and, "one by one the GPU answers AND %s times as fast as one core and OR %s times; the core prunes by block maxima, which gains more with OR", paper.Num(and), paper.Num(or))}
	},
	Plot: paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{wholeNote, "lists are resident; the paper's numbers are lost in the text",
		"documents are ranked by BM25 alone, without a score that does not depend on the query",
		"the GPU step by step has no time of AND+OR: the paper gives its steps for AND and OR",
		"the CPU prunes by block maxima, which the paper's does not",
		"all lists are on the GPU beforehand: the paper's copies while other queries run take no part",
		"the GPU selects with one level of maxima over groups of at least 256 keys and finds at most 1,024 results; the paper with two or three levels over groups of 512, and several thousand",
	},
}

// most is the number of queries that are asked.
const most = 200

// drawn returns a collection.
type drawn func(e *paper.Env) (*corpus.Set, error)

// cpuTimes returns the seconds of queries on one core.
func cpuTimes(ctx context.Context, e *paper.Env, of drawn, m query.Mode) ([]float64, error) {
	s, err := of(e)
	if err != nil {
		return nil, err
	}
	x, err := e.Index(ctx, s, "newpfd")
	if err != nil {
		return nil, err
	}
	cpu, err := query.NewSearcher(x.Snapshot, query.Options{})
	if err != nil {
		return nil, err
	}
	return oneByOne(ctx, cpu, queries(s, m, e.Pick(most, 20)))
}

// gpuTimes returns the seconds of queries on the device one by one, and of a query in a
// batch of all, and compares the answers with the CPU's.
func gpuTimes(ctx context.Context, e *paper.Env, of drawn, m query.Mode, how gpuload.Accumulation) (one []float64, batch float64, err error) {
	s, err := of(e)
	if err != nil {
		return nil, 0, err
	}
	x, err := e.Index(ctx, s, "newpfd")
	if err != nil {
		return nil, 0, err
	}
	cpu, err := query.NewSearcher(x.Snapshot, query.Options{})
	if err != nil {
		return nil, 0, err
	}
	g, err := e.Executor(x, gpuload.Options{CPU: cpu, Memory: 4 << 30, Accumulate: how})
	if err != nil {
		return nil, 0, err
	}
	qs := queries(s, m, e.Pick(most, 20))
	got, err := g.Execute(ctx, qs)
	if err != nil {
		return nil, 0, err
	}
	want, err := cpu.Execute(ctx, qs)
	if err != nil {
		return nil, 0, err
	}
	for i := range want {
		if !gputrial.Equal(got[i].Hits, want[i].Hits) {
			return nil, 0, fmt.Errorf("query %d, %s: the device answers %v, the CPU %v", i, qs[i].Terms, got[i].Hits, want[i].Hits)
		}
	}
	if one, err = oneByOne(ctx, g, qs); err != nil {
		return nil, 0, err
	}
	t, err := paper.Median(e.Pick(9, 1), func() error { _, err := g.Execute(ctx, qs); return err })
	return one, t / float64(len(qs)), err
}
