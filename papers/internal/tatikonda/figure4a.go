package tatikonda

import (
	"context"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

const gain, lead = "throughput over INTER on one core", "INTER's latency on one core over this one"

// runs are the models of figure 4 (a) and (b).
var runs = []struct {
	name  string
	model model
	kappa int
}{{"INTER", inter, 0}, {"FGQP (κ = 150)", fgqp, 150}, {"FGQP (κ = 5)", fgqp, 5}, {"DOCP-UI", docpUI, 0}, {"DOCP-PI", docpPI, 0}}

// ownRuns are the engine's models, with its pruning and with the paper's algorithm.
var ownRuns = []struct{ name, model, algorithm string }{
	{"the engine's inter", "inter", ""}, {"the engine's fgqp", "fgqp", ""}, {"the engine's docp-ui", "docp-ui", ""},
	{"the engine's inter, Small Adaptive", "inter", smallAdaptiveName}, {"the engine's fgqp, Small Adaptive", "fgqp", smallAdaptiveName},
}

var figure4a = paper.Experiment{
	Name: "tatikonda-fig4a", Number: "Figure 4(a)", Title: "Throughput against cores",
	Data: data, Claims: []int{1, 2, 4},
	Paper: paper.Values{}.Put(gain, "INTER", "8", 7.9).Put(gain, "FGQP (κ = 150)", "8", 7.6).Put(gain, "DOCP-UI", "8", 5.1).Put(gain, "DOCP-PI", "8", 4.8).
		Put("throughput", "INTER", "8", 850).Put("throughput", "FGQP (κ = 150)", "8", 826),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		b, err := newBench(e)
		if err != nil {
			return nil, err
		}
		add := func(series string, n int, rate float64) {
			rows = append(rows, paper.Row{Metric: "throughput", Series: series, At: coreName(n), X: float64(n), Value: rate, Unit: "queries/s"})
		}
		all, err := b.saturated(ctx)
		if err != nil {
			return nil, err
		}
		for _, o := range all {
			if o.figures {
				add(o.series, o.load.workers, o.rate)
			}
		}
		for _, r := range ownRuns {
			for _, n := range e.Workers {
				o, err := b.own(ctx, paper.LoadRun{Model: r.model, Algorithm: r.algorithm, Workers: n})
				if err != nil {
					return nil, err
				}
				add(r.name, n, o.Throughput)
			}
		}
		return rows, nil
	},
	Follow: func(rows []paper.Row) []paper.Row {
		return append(relativeTo(rows, "throughput", gain, func(base, v float64) float64 { return v / base }), lostTo(rows)...)
	},
	Judge: func(t paper.Table) []paper.Verdict {
		inter, ok := at8(t, gain, "INTER")
		fine, _ := at8(t, gain, "FGQP (κ = 150)")
		part, _ := at8(t, gain, "DOCP-UI")
		own, _ := at8(t, gain, "DOCP-PI")
		n := inter.X
		if !ok || n < 2 {
			return nil
		}
		few, _ := at8(t, lost, withThreshold(5))
		many, _ := at8(t, lost, withThreshold(150))
		return []paper.Verdict{
			paper.Judge(1, inter.Value > 0.85*n && fine.Value > 0.85*n, inter.Value > 0.6*n && fine.Value > 0.6*n, "on %s cores INTER has %s times the throughput, FGQP %s times (7.9 and 7.6 on eight)", inter.At, paper.Num(inter.Value), paper.Num(fine.Value)),
			paper.Judge(2, part.Value < 0.75*inter.Value && own.Value < 0.75*inter.Value, part.Value < inter.Value && own.Value < inter.Value, "on %s cores DOCP-UI has %s times, DOCP-PI %s times (5.1 and 4.8 on eight)", inter.At, paper.Num(part.Value), paper.Num(own.Value)),
			paper.Judge(4, few.Value-many.Value >= 0.7*(16-3.3), few.Value > many.Value, "on %s cores the loss of throughput goes from %s %% with κ = 5 to %s %% with 150 (16 and 3.3 on eight)", inter.At, paper.Num(few.Value), paper.Num(many.Value)),
		}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "cores", Log: true}},
	Notes: []string{"INTER, FGQP and DOCP are the paper's, over PForDelta blocks of 512 in memory; the engine's models are those of idxbench load: top 10 with pruning, over its index",
		"the engine's fgqp runs whole queries at saturation, which the paper's does not",
		"the paper's models take scores from the docID, in the place of the paper's BM25 and a score that does not depend on the query, and read no frequencies; the engine's scores are BM25",
		"each figure of the paper's models is the median of three rounds, in each of which all are measured in turn; the recorded run measured them once, and that of Figure 4(c), 92 seconds later on the same host, lost 10 to 16 points less with FGQP and DOCP on eight cores",
		"DOCP-PI has an index of as many parts as there are cores",
		"gains of the engine are over its own inter on one core, by the same algorithm; one above the number of cores shows how far runs differ",
	},
}

// relativeTo returns a metric that compares each row of another with that of INTER on the
// least number of cores: the paper's, or the engine's by the same algorithm.
func relativeTo(rows []paper.Row, metric, as string, compare func(base, v float64) float64) (out []paper.Row) {
	base := map[string]paper.Row{}
	for _, r := range rows {
		model, of := modelOf(r.Series)
		if b, ok := base[of]; r.Metric == metric && strings.EqualFold(model, "INTER") && (!ok || r.X < b.X) {
			base[of] = r
		}
	}
	for _, r := range rows {
		_, of := modelOf(r.Series)
		if b, ok := base[of]; r.Metric == metric && ok {
			r.Metric, r.Value, r.Unit = as, compare(b.Value, r.Value), "times"
			out = append(out, r)
		}
	}
	return out
}

// lostTo returns how much throughput the paper's models lose against INTER on as many cores.
func lostTo(rows []paper.Row) (out []paper.Row) {
	whole := map[string]float64{}
	for _, r := range rows {
		if r.Metric == "throughput" && r.Series == inter.String() {
			whole[r.At] = r.Value
		}
	}
	for _, r := range rows {
		_, of := modelOf(r.Series)
		if base := whole[r.At]; r.Metric == "throughput" && of == "paper" && r.Series != inter.String() && base > 0 {
			r.Metric, r.Value, r.Unit = lost, 100*(1-r.Value/base), "%"
			out = append(out, r)
		}
	}
	return out
}

// modelOf returns the model of a series, and what it is compared with: the paper's models, or
// the engine's of the same algorithm.
func modelOf(series string) (model, of string) {
	if rest, ok := strings.CutPrefix(series, "the engine's "); ok {
		model, of, _ = strings.Cut(rest, ", ")
		return model, "engine, " + of
	}
	return series, "paper"
}

// run is an outcome of figure 4.
type run struct {
	series  string
	load    load
	figures bool // of figure 4 (a) and (b), not of (c) alone
	outcome
}

// saturated measures the models at saturation, once for all of figure 4: on each number of
// cores, and with all thresholds on those of figure 4 (c).
func (b *bench) saturated(ctx context.Context) ([]run, error) {
	return paper.Once(b.env, "tatikonda saturated", func() (all []run, err error) {
		for _, r := range runs {
			for _, n := range b.env.Workers {
				all = append(all, run{series: r.name, load: load{model: r.model, workers: n, kappa: r.kappa}, figures: true})
			}
		}
		for _, k := range thresholds {
			if n := b.cores(); runAt(all, withThreshold(k), n) == nil {
				all = append(all, run{series: withThreshold(k), load: load{model: fgqp, workers: n, kappa: k}})
			}
		}
		var loads []load
		for _, r := range all {
			loads = append(loads, r.load)
		}
		of, err := b.medians(ctx, loads)
		for i, o := range of {
			all[i].outcome = o
		}
		return all, err
	})
}

// withThreshold names FGQP with a pool threshold.
func withThreshold(k int) string { return fmt.Sprintf("FGQP (κ = %d)", k) }

// runAt returns the run of a series on a number of cores, nil if there is none.
func runAt(all []run, series string, workers int) *run {
	for i, r := range all {
		if r.series == series && r.load.workers == workers {
			return &all[i]
		}
	}
	return nil
}

// at8 returns the entry at eight cores, or at the most there are.
func at8(t paper.Table, metric, series string) (paper.Entry, bool) {
	last, ok := t.Last(metric, series)
	for _, e := range t.Of(metric, series) {
		if e.At == "8" {
			return e, true
		}
	}
	return last, ok
}
