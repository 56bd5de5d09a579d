package ding

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
	"github.com/pinion-index/pinion/query"
)

const (
	queryTime      = "time of a query"
	oneCore        = "CPU, one core"
	oneCoreBeside  = "CPU beside it, one core"
	withoutPruning = ", without pruning"
	stepByStep     = "GPU, step by step"
	byEngine       = "GPU, one by one"
)

var table2 = paper.Experiment{
	Name: "ding-tab2", Number: "Table 2", Title: "Time of a query, top 10",
	Data: data, Claims: []int{8},
	OwnAdds: "the paper's steps, one launch each",
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for i, m := range modes {
			some, err := coreRows(ctx, e, i, m, oneCore)
			if err != nil {
				return nil, err
			}
			rows = append(rows, some...)
		}
		return rows, nil
	},
	GPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for i, m := range modes {
			one, batch, err := gpuTimes(ctx, e, timedSet, m)
			if err != nil {
				return nil, err
			}
			core, err := coreRows(ctx, e, i, m, oneCoreBeside)
			if err != nil {
				return nil, err
			}
			row := func(series string, v float64) {
				rows = append(rows, paper.Row{Metric: queryTime, Series: series, At: modeNames[i], X: float64(i), Value: 1e3 * v, Unit: "ms"})
			}
			row(byEngine, mean(one))
			row("GPU, in a batch", batch)
			rows = append(rows, core...)
		}
		return rows, nil
	},
	Judge: judgeTimes,
	Plot:  paper.Plot{Kind: chart.Bars, LogY: true},
	Notes: []string{wholeNote, "lists are resident; the paper's numbers are lost in the text",
		"documents are ranked by BM25 alone, without a score that does not depend on the query",
		"the GPU step by step has no time of AND+OR: the paper gives its steps for AND and OR",
		"the CPU prunes by block maxima and keeps long lists as bitmaps with frequencies, which the paper's does not; without pruning it gallops through the lists of AND and scores every posting of OR, and keeps no bitmaps",
		"all lists are on the GPU beforehand: the paper's copies while other queries run take no part",
		"the GPU selects with one level of maxima over groups of at least 256 keys and finds at most 1,024 results; the paper with two or three levels over groups of 512, and several thousand",
	},
}

// judgeTimes judges claim 8 by the paper's steps, if they were measured, and by one core that does not
// prune, as the paper's does not.
func judgeTimes(t paper.Table) []paper.Verdict {
	over := func(core, gpu, at string) float64 {
		cpu, _ := t.Get(queryTime, core, at)
		v, ok := t.Get(queryTime, gpu, at)
		if !ok {
			return 0
		}
		return cpu / v
	}
	plain := oneCoreBeside + withoutPruning
	gpu, how, about := byEngine, "one by one, with the engine's kernels,", ""
	if _, ok := t.Get(queryTime, stepByStep, "AND"); ok {
		if and := over(plain, byEngine, "AND"); and > 0 {
			about = fmt.Sprintf("; with the engine's kernels, one by one, it answers AND %s times as fast and OR %s times", paper.Num(and), paper.Num(over(plain, byEngine, "OR")))
		}
		gpu, how = stepByStep, "by the paper's steps"
	}
	and, or := over(plain, gpu, "AND"), over(plain, gpu, "OR")
	if and == 0 {
		return nil
	}
	if v := over(oneCoreBeside, gpu, "AND"); v > 0 {
		about = fmt.Sprintf(" that does not prune, and AND %s times and OR %s times as fast as one that prunes by block maxima, which the paper's does not", paper.Num(v), paper.Num(over(oneCoreBeside, gpu, "OR"))) + about
	}
	return []paper.Verdict{paper.Judge(8, and > 1 && or > 2*and, and > 1 && or > and, "%s the GPU answers AND %s times and OR %s times as fast as one core%s", how, paper.Num(and), paper.Num(or), about)}
}

// coreRows returns the rows of one core for the mode of index i.
func coreRows(ctx context.Context, e *paper.Env, i int, m query.Mode, series string) (rows []paper.Row, err error) {
	row := func(series string, t []float64) {
		rows = append(rows, paper.Row{Metric: queryTime, Series: series, At: modeNames[i], X: float64(i), Value: 1e3 * mean(t), Unit: "ms"})
	}
	t, err := cpuTimes(ctx, e, timedSet, m, search.Auto, search.Options{Params: paper.Params})
	if err != nil {
		return nil, err
	}
	row(series, t)
	if a, ok := plain[m]; ok {
		if t, err = cpuTimes(ctx, e, timedSet, m, a, search.Options{Params: paper.Params, DenseBytes: -1}); err != nil {
			return nil, err
		}
		row(series+withoutPruning, t)
	}
	return rows, nil
}

// plain are the algorithms that do not prune. AND+OR chooses among both.
var plain = map[query.Mode]search.Algorithm{query.ModeAnd: search.Leapfrog, query.ModeOr: search.Exhaustive}

// most is the number of queries that are asked.
const most = 200

// drawn returns a collection.
type drawn func(e *paper.Env) (*corpus.Set, error)

// cpuTimes returns the seconds of queries on one core.
func cpuTimes(ctx context.Context, e *paper.Env, of drawn, m query.Mode, a search.Algorithm, o search.Options) ([]float64, error) {
	s, err := of(e)
	if err != nil {
		return nil, err
	}
	x, err := e.Index(ctx, s, "newpfd")
	if err != nil {
		return nil, err
	}
	cpu, err := search.NewSearcher(x.Snapshot, o)
	if err != nil {
		return nil, err
	}
	defer cpu.Close()
	qs := queries(s, m, e.Pick(most, 20))
	for i := range qs {
		qs[i].Algorithm = a
	}
	return oneByOne(ctx, cpu, qs)
}

// gpuTimes returns the seconds of queries on the device one by one, and of a query in a
// batch of all, and compares the answers with the CPU's.
func gpuTimes(ctx context.Context, e *paper.Env, of drawn, m query.Mode) (one []float64, batch float64, err error) {
	s, err := of(e)
	if err != nil {
		return nil, 0, err
	}
	x, err := e.Index(ctx, s, "newpfd")
	if err != nil {
		return nil, 0, err
	}
	cpu, err := search.NewSearcher(x.Snapshot, search.Options{Params: paper.Params})
	if err != nil {
		return nil, 0, err
	}
	defer cpu.Close()
	g, err := e.Executor(x, gpu.Options{CPU: cpu, Memory: 4 << 30})
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
			return nil, 0, fmt.Errorf("query %d, %s: the device answers %v, the CPU %v", i, qs[i].RawTerms, got[i].Hits, want[i].Hits)
		}
	}
	if one, err = oneByOne(ctx, g, qs); err != nil {
		return nil, 0, err
	}
	t, err := paper.Median(e.Pick(9, 1), func() error { _, err := g.Execute(ctx, qs); return err })
	return one, t / float64(len(qs)), err
}
