package ding

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/tools/internal/chart"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

const delay, sustained = "mean delay", "arrivals sustained"

// deadline is the longest that a query may take, in the paper and here, in seconds.
const deadline = 0.5

var figure7 = paper.Experiment{
	Name: "ding-fig7", Number: "Figure 7", Title: "Mean delay against arrivals, AND, simulated from measured costs",
	Data: data, Claims: []int{10},
	Paper: paper.Values{}.Put(sustained, "CPU+GPU parallel", "500 ms", 300).Put(sustained, "CPU only", "500 ms", 100),
	CPU: func(ctx context.Context, e *paper.Env) ([]paper.Row, error) {
		cpu, err := cpuTimes(ctx, e, query.And)
		if err != nil {
			return nil, err
		}
		return curves(cpu, nil), nil
	},
	GPU: func(ctx context.Context, e *paper.Env) ([]paper.Row, error) {
		gpu, _, err := gpuTimes(ctx, e, query.And, gpuload.ListByList)
		if err != nil {
			return nil, err
		}
		cpu, err := cpuTimes(ctx, e, query.And)
		if err != nil {
			return nil, err
		}
		return curves(cpu, gpu), nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		both, ok := t.Get(sustained, "CPU+GPU parallel", "500 ms")
		cpu, _ := t.Get(sustained, "CPU only", "500 ms")
		if !ok || cpu == 0 {
			return nil
		}
		return []paper.Verdict{paper.Judge(10, both > 2.1*cpu, both > 1.2*cpu, "in the simulation CPU and GPU in parallel sustain %s arrivals/s, one core %s: %s times (3 in the paper)", paper.Num(both), paper.Num(cpu), paper.Num(both/cpu))}
	},
	Plot: paper.Plot{X: chart.Axis{Label: "arrivals/s", Log: true}, LogY: true},
	Notes: []string{"simulated, as in the paper, from the time of each query alone on one core and on the GPU; three queues with thresholds of 2 between the costs, oldest first, and stealing",
		"costs are known, where the paper estimates them with errors of 22 %"},
}

// curves simulates the configurations of figure 7 at rising rates until a query misses
// its deadline.
func curves(cpu, gpu []float64) (rows []paper.Row) {
	configs := []struct {
		name string
		run  func(due []float64, pick []int) []float64
	}{{"CPU only", func(due []float64, pick []int) []float64 { return single(due, pick, cpu) }}}
	if gpu != nil {
		better := make([]float64, len(cpu))
		for i := range cpu {
			better[i] = min(cpu[i], gpu[i])
		}
		configs = append(configs, []struct {
			name string
			run  func(due []float64, pick []int) []float64
		}{{"GPU only", func(due []float64, pick []int) []float64 { return single(due, pick, gpu) }},
			{"CPU+GPU serialized", func(due []float64, pick []int) []float64 { return single(due, pick, better) }},
			{"CPU+GPU parallel", func(due []float64, pick []int) []float64 { return parallel(due, pick, cpu, gpu) }}}...)
	}
	for _, c := range configs {
		last := 0.0
		for rate := 0.2 / mean(cpu); ; rate *= 1.15 {
			rng := rand.New(rand.NewPCG(9, 9))
			due, pick := make([]float64, 3000), make([]int, 3000)
			for i, at := 0, 0.0; i < len(due); i++ {
				at += rng.ExpFloat64() / rate
				due[i], pick[i] = at, rng.IntN(len(cpu))
			}
			took := c.run(due, pick)
			if slices.Max(took) > deadline*mean(cpu)/paperCost || rate > 1e9 {
				break
			}
			last = rate
			rows = append(rows, paper.Row{Metric: delay, Series: c.name, At: fmt.Sprintf("%.0f", rate), X: rate, Value: 1e3 * mean(took), Unit: "ms"})
		}
		rows = append(rows, paper.Row{Metric: sustained, Series: c.name, At: "500 ms", Value: last, Unit: "queries/s"})
	}
	return rows
}

// paperCost is about what a query takes in the paper, which sustains less than 100 a
// second on its CPU: the deadline is scaled by our cost over it, so that queues are as
// long.
const paperCost = 0.01

// single serves queries in order of arrival.
func single(due []float64, pick []int, cost []float64) []float64 {
	took, free := make([]float64, len(due)), 0.0
	for i, at := range due {
		free = max(free, at) + cost[pick[i]]
		took[i] = free - at
	}
	return took
}

// parallel serves queries on two processors: those that are twice as fast on one wait for
// it, the others for whichever is idle first; an idle one steals the oldest.
func parallel(due []float64, pick []int, cpu, gpu []float64) []float64 {
	took := make([]float64, len(due))
	cost := [2][]float64{cpu, gpu}
	var free [2]float64
	var waiting []int
	next := 0
	for next < len(due) || len(waiting) > 0 {
		p := 0
		if free[1] < free[0] {
			p = 1
		}
		now := free[p]
		if len(waiting) == 0 && next < len(due) {
			now = max(now, due[next])
		}
		for next < len(due) && due[next] <= now {
			waiting = append(waiting, next)
			next++
		}
		// Its own first, then those of either, then the other's, oldest first.
		best, class := -1, 3
		for i, q := range waiting {
			k := 1
			switch mine, other := cost[p][pick[q]], cost[1-p][pick[q]]; {
			case 2*mine < other:
				k = 0
			case 2*other < mine:
				k = 2
			}
			if k < class {
				best, class = i, k
			}
		}
		q := waiting[best]
		waiting = slices.Delete(waiting, best, best+1)
		free[p] = now + cost[p][pick[q]]
		took[q] = free[p] - due[q]
	}
	return took
}
