package tatikonda

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var thresholds = []int{5, 20, 50, 100, 150}

const lost, gained, apart = "throughput lost", "latency gained", "throughput of rounds apart, at most"

var figure4c = paper.Experiment{
	Name: "tatikonda-fig4c", Number: "Figure 4(c)", Title: "Throughput lost and latency gained against the pool threshold",
	Data: data, Claims: []int{2, 4},
	Paper: paper.Values{}.Put(lost, "FGQP", "5", 16).Put(lost, "FGQP", "150", 3.3).Put(gained, "FGQP", "5", 5.75).Put(gained, "FGQP", "150", 3.7).
		Put(lost, "DOCP-UI", "any", 36).Put(lost, "DOCP-PI", "any", 41),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		b, err := newBench(e)
		if err != nil {
			return nil, err
		}
		all, err := b.saturated(ctx)
		if err != nil {
			return nil, err
		}
		n := b.cores()
		base, whole := runAt(all, inter.String(), e.Workers[0]), runAt(all, inter.String(), n)
		spread := whole.spread
		add := func(series, place string, x float64, o *run) {
			rows = append(rows, paper.Row{Metric: lost, Series: series, At: place, X: x, Value: 100 * (1 - o.rate/whole.rate), Unit: "%"},
				paper.Row{Metric: gained, Series: series, At: place, X: x, Value: base.service / o.service, Unit: "times"})
			spread = max(spread, o.spread)
		}
		for _, k := range thresholds {
			add("FGQP", fmt.Sprint(k), float64(k), runAt(all, withThreshold(k), n))
		}
		for _, m := range []model{docpUI, docpPI} {
			add(m.String(), "any", 0, runAt(all, m.String(), n))
		}
		rows = append(rows, paper.Row{Metric: apart, At: "any", Value: 100 * spread, Unit: "%"})
		more, err := b.ownThresholds(ctx, n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
		made, err := b.tasksOfQueries(n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, made...)
		return append(rows, paper.Row{Metric: "cores", Series: "FGQP", At: "any", Value: float64(n)}), nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		few, ok := t.Get(lost, "FGQP", "5")
		many, _ := t.Get(lost, "FGQP", "150")
		fast, _ := t.Get(gained, "FGQP", "5")
		slow, _ := t.Get(gained, "FGQP", "150")
		n, _ := t.Get("cores", "FGQP", "any")
		if !ok {
			return nil
		}
		back := rises(t.Of(lost, "FGQP"))
		v := paper.Judge(4, few-many >= 0.7*(16-3.3) && back < few-many && slow < 0.8*fast && slow > 0.7*3.7, many < few && slow < fast, "on %s cores from κ = 5 to 150 the loss goes from %s %% to %s %%, the gain from %s to %s times",
			paper.Num(n), paper.Num(few), paper.Num(many), paper.Num(fast), paper.Num(slow))
		if slow < 1 {
			v.Why += ": below 1 FGQP is slower than INTER on one core, since queries wait in the pool"
		}
		if each, ok := t.Get(tasksOf, "FGQP", "mean"); ok {
			less, _ := t.Get(tasksOf, "FGQP", "fewer than cores")
			v.Why += fmt.Sprintf("; a query makes %s tasks, and %s %% of the queries fewer than there are cores, so that a pool of κ tasks holds several queries", paper.Num(each), paper.Num(less))
		}
		if many < few && back >= few-many {
			v.Why += fmt.Sprintf("; that the loss falls is within the noise: it rises by %s points between other thresholds", paper.Num(back))
		}
		if d, ok := t.Get(apart, "", "any"); ok {
			v.Why += fmt.Sprintf("; rounds of a load are at most %s %% apart", paper.Num(d))
		} else {
			v.Why += "; each was measured once, and Figure 4(a) has other losses for the same loads"
		}
		part, _ := t.Get(lost, "DOCP-UI", "any")
		own, _ := t.Get(lost, "DOCP-PI", "any")
		return []paper.Verdict{
			paper.Judge(2, part >= 0.7*36 && own >= 0.7*41, part > 0 && own > 0, "on %s cores DOCP-UI loses %s %% of INTER's throughput, DOCP-PI %s %% (36 and 41)", paper.Num(n), paper.Num(part), paper.Num(own)),
			v,
		}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "pool threshold κ", Log: true}},
	Notes: []string{"at scale 1/4 a query makes 5.0 tasks, 83 % of the queries fewer than eight; at scale 1 it makes 19.8, and 29 % fewer than eight",
		"on eight cores or as many as there are; loss against INTER on as many cores, gain against INTER on one",
		"the paper's models are those of Figures 4(a) and 4(b), measured together; the recorded run measured them anew, once each: it loses 5.3 % with κ = 5, 2.4 % with 150, 28 % with DOCP-UI and 25 % with DOCP-PI, where that of Figure 4(a), 92 seconds before on the same host, loses 19, 13, 40 and 41 %",
		"the engine's fgqp cuts no tasks while queries wait, so at saturation it is its inter"},
}

// rises returns the most that a value exceeds one before it.
func rises(of []paper.Entry) (most float64) {
	for i, low := range of {
		for _, high := range of[i:] {
			most = max(most, high.Value-low.Value)
		}
	}
	return most
}

const tasksOf = "tasks of a query"

// tasksOfQueries counts the tasks of the queries.
func (b *bench) tasksOfQueries(cores int) ([]paper.Row, error) {
	e, err := b.engine(cores)
	if err != nil {
		return nil, err
	}
	sum, less, n := 0, 0.0, float64(max(len(e.queries), 1))
	for _, q := range e.queries {
		made := len(e.tasks(&asked{terms: q}, nil))
		if sum += made; made < cores {
			less++
		}
	}
	return []paper.Row{{Metric: tasksOf, Series: "FGQP", At: "mean", Value: float64(sum) / n},
		{Metric: tasksOf, Series: "FGQP", At: "fewer than cores", Value: 100 * less / n, Unit: "%"}}, nil
}

// ownThresholds measures the engine's fgqp, with the paper's algorithm, against its inter.
// Latency is of queries asked alone, on all cores and on one.
func (b *bench) ownThresholds(ctx context.Context, workers int) (rows []paper.Row, err error) {
	one := paper.LoadRun{Model: "inter", Workers: 1, Alone: true, Algorithm: smallAdaptiveName}
	base, err := b.own(ctx, one)
	if err != nil {
		return nil, err
	}
	whole, err := b.own(ctx, paper.LoadRun{Model: "inter", Workers: workers, Algorithm: smallAdaptiveName})
	if err != nil {
		return nil, err
	}
	for _, k := range thresholds {
		r := paper.LoadRun{Model: "fgqp", Workers: workers, Threshold: k, Algorithm: smallAdaptiveName}
		full, err := b.own(ctx, r)
		if err != nil {
			return nil, err
		}
		r.Alone = true
		alone, err := b.own(ctx, r)
		if err != nil {
			return nil, err
		}
		at := fmt.Sprint(k)
		rows = append(rows, paper.Row{Metric: lost, Series: "the engine's fgqp", At: at, X: float64(k), Value: 100 * (1 - full.Throughput/whole.Throughput), Unit: "%"},
			paper.Row{Metric: gained, Series: "the engine's fgqp", At: at, X: float64(k), Value: base.Mean / alone.Mean, Unit: "times"})
	}
	return rows, nil
}
