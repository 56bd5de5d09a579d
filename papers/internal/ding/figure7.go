package ding

import (
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
	"github.com/pinion-index/pinion/query"
)

const (
	delay, sustained    = "mean delay", "arrivals sustained"
	estimateError       = "error of the estimate of a query's time"
	cpuAlone, cpuBeside = "CPU only", "CPU only, beside the GPU"
)

// deadline is the longest that a query may take, over the mean time of a query on the CPU: 0.5 s in the
// paper, which sustains less than 100 a second there. So queues are as long here.
const deadline = 50

// inTime is the place of rates at which all queries meet their deadlines.
const inTime = "all within 50 mean costs"

var figure7 = paper.Experiment{
	Name: "ding-fig7", Number: "Figure 7", Title: "Mean delay against arrivals, AND, simulated from measured costs",
	Data: data, Claims: []int{10},
	Paper: paper.Values{}.Put(sustained, "CPU+GPU parallel", inTime, 300).Put(sustained, cpuAlone, inTime, 100).Put(sustained, cpuBeside, inTime, 100).Put(estimateError, "GPU only", "mean", 22),
	CPU: func(ctx context.Context, e *paper.Env) ([]paper.Row, error) {
		cpu, err := cpuTimes(ctx, e, collection, query.ModeAnd, search.Auto, search.Options{Params: paper.Params})
		if err != nil {
			return nil, err
		}
		return simulated(e, cpu, nil)
	},
	GPU: func(ctx context.Context, e *paper.Env) ([]paper.Row, error) {
		gpu, _, err := gpuTimes(ctx, e, collection, query.ModeAnd)
		if err != nil {
			return nil, err
		}
		cpu, err := cpuTimes(ctx, e, collection, query.ModeAnd, search.Auto, search.Options{Params: paper.Params})
		if err != nil {
			return nil, err
		}
		return simulated(e, cpu, gpu)
	},
	Judge: func(t paper.Table) []paper.Verdict {
		both, ok := t.Get(sustained, "CPU+GPU parallel", inTime)
		cpu, _ := t.Get(sustained, cpuBeside, inTime)
		gpu, _ := t.Get(sustained, "GPU only", inTime)
		serial, _ := t.Get(sustained, "CPU+GPU serialized", inTime)
		if !ok || cpu == 0 {
			return nil
		}
		better := max(gpu, serial)
		return []paper.Verdict{paper.Judge(10, both > 2.1*cpu && both >= better, both > 1.2*cpu, "in the simulation CPU and GPU in parallel sustain %s arrivals/s, one core %s: %s times (3 in the paper); the GPU alone, one query at a time, sustains %s, and both serialized %s: parallel sustains %s times the better of these", paper.Num(both), paper.Num(cpu), paper.Num(both/cpu), paper.Num(gpu), paper.Num(serial), paper.Num(both/max(better, 1)))}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "arrivals/s", Log: true}, LogY: true},
	Notes: []string{eighthNote, "simulated, as in the paper, from the time of each query alone on one core and on the GPU",
		"the schedule goes by estimates from the paper's features; a polynomial of the second degree, fitted to every other query, stands in for M5Rules trained on 3,000 others",
		"runs recorded before 26 November 2026 have no errors of estimates: the engine's scheduler of then simulated them, from costs that it knew",
		"the deadline is 50 times what our queries take on one core on average, as the paper's 500 ms are, where one takes about 10 ms",
		"the GPU's times hold what the host does for it, and no core that answers is taken for that",
		"of the paper's system its result cache, and the integrator that spreads queries over several nodes, have no counterpart here: both stand before an index"},
}

// costsOf returns what queries take and are estimated to take, and how far the estimates are off. gpu may be nil.
func costsOf(e *paper.Env, cpu, gpu []float64) (costs []cost, rows []paper.Row, err error) {
	s, err := collection(e)
	if err != nil {
		return nil, nil, err
	}
	costs = make([]cost, len(cpu))
	of := featuresOf(s, s.Queries[:len(cpu)])
	for p, took := range [][]float64{cpu, gpu} {
		if took == nil {
			continue
		}
		guess, err := estimates(of, took)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, paper.Row{Metric: estimateError, Series: []string{cpuAlone, "GPU only"}[p], At: "mean", Value: meanError(guess, took), Unit: "%"})
		for i := range costs {
			costs[i].took[p], costs[i].estimate[p] = took[i], guess[i]
		}
	}
	return costs, rows, nil
}

// simulated returns the rows of costs.
func simulated(e *paper.Env, cpu, gpu []float64) ([]paper.Row, error) {
	costs, rows, err := costsOf(e, cpu, gpu)
	if err != nil {
		return nil, err
	}
	return append(rows, curves(costs, gpu != nil)...), nil
}

// curves simulates the configurations of figure 7 at rising rates until a query misses its deadline.
func curves(costs []cost, gpu bool) (rows []paper.Row) {
	type config struct {
		name   string
		choose func(*machine, int) int
	}
	configs := []config{{cpuAlone, alone(theCPU)}}
	if gpu {
		configs = []config{{cpuBeside, alone(theCPU)}, {"GPU only", alone(theGPU)}, {"CPU+GPU serialized", serialized}, {"CPU+GPU parallel", parallel}}
	}
	core := 0.0 // mean time of a query on the CPU
	for i := range costs {
		core += costs[i].took[theCPU] / float64(len(costs))
	}
	limit := deadline * core
	for _, c := range configs {
		last := 0.0
		for rate := 0.2 / core; rate < 1e8; rate *= 1.15 {
			m := machine{deadline: limit, choose: c.choose}
			delays := m.run(arrivals(costs, 3000, rate))
			if slices.Max(delays) > limit {
				break
			}
			last = rate
			rows = append(rows, paper.Row{Metric: delay, Series: c.name, At: fmt.Sprintf("%.0f", rate), X: rate, Value: 1e3 * mean(delays), Unit: "ms"})
		}
		rows = append(rows, paper.Row{Metric: sustained, Series: c.name, At: inTime, Value: last, Unit: "queries/s"})
	}
	return rows
}
