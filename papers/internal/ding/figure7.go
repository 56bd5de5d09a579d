package ding

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/paper"
	"github.com/pinion-index/pinion/query"
)

const (
	delay, sustained    = "mean delay", "arrivals sustained"
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
	Paper: paper.Values{}.Put(sustained, "CPU+GPU parallel", inTime, 300).Put(sustained, cpuAlone, inTime, 100).Put(sustained, cpuBeside, inTime, 100),
	CPU: func(ctx context.Context, e *paper.Env) ([]paper.Row, error) {
		cpu, err := cpuTimes(ctx, e, collection, query.And, query.Auto, query.Options{})
		if err != nil {
			return nil, err
		}
		return curves(cpu, nil)
	},
	GPU: func(ctx context.Context, e *paper.Env) ([]paper.Row, error) {
		gpu, _, err := gpuTimes(ctx, e, collection, query.And, gpuload.ListByList)
		if err != nil {
			return nil, err
		}
		cpu, err := cpuTimes(ctx, e, collection, query.And, query.Auto, query.Options{})
		if err != nil {
			return nil, err
		}
		return curves(cpu, gpu)
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
	Notes: []string{eighthNote, "simulated, as in the paper, by the scheduler of package hybrid, from the time of each query alone on one core and on the GPU",
		"the deadline is 50 times what our queries take on one core on average, as the paper's 500 ms are, where one takes about 10 ms",
		"the GPU's times hold what the host does for it, and no core that answers is taken for that",
		"costs are known, where the paper estimates them with errors of 22 %",
		"of the paper's system its result cache, and the integrator that spreads queries over several nodes, have no counterpart here: both stand before an index"},
}

// curves simulates the configurations of figure 7 at rising rates until a query misses
// its deadline.
func curves(cpu, gpu []float64) (rows []paper.Row, err error) {
	configs := []struct {
		name string
		mode hybrid.Mode
	}{{cpuAlone, hybrid.OnlyCPU}}
	if gpu != nil {
		configs[0].name = cpuBeside
		configs = append(configs, []struct {
			name string
			mode hybrid.Mode
		}{{"GPU only", hybrid.OnlyGPU}, {"CPU+GPU serialized", hybrid.Serial}, {"CPU+GPU parallel", hybrid.Parallel}}...)
	}
	records := make([]hybrid.Record, len(cpu))
	for i := range records {
		records[i].Cost.CPU = seconds(cpu[i])
		if gpu != nil {
			records[i].Cost.GPU = seconds(gpu[i])
		}
	}
	limit := seconds(deadline * mean(cpu))
	for _, c := range configs {
		last := 0.0
		for rate := 0.2 / mean(cpu); rate < 1e8; rate *= 1.15 {
			o, err := hybrid.Simulate(records, hybrid.Simulation{Workers: 1, Rate: rate, Queries: 3000, Seed: 9,
				Options: hybrid.Options{Model: &hybrid.Model{}, Mode: c.mode, Deadline: limit, Batch: 1, Lanes: 1, Queue: 63}}) // so short that queries wait only in the paper's queues
			if err != nil {
				return nil, err
			}
			if slices.Max(o.Took) > limit {
				break
			}
			sum := 0.0
			for _, t := range o.Took {
				sum += t.Seconds()
			}
			last = rate
			rows = append(rows, paper.Row{Metric: delay, Series: c.name, At: fmt.Sprintf("%.0f", rate), X: rate, Value: 1e3 * sum / float64(len(o.Took)), Unit: "ms"})
		}
		rows = append(rows, paper.Row{Metric: sustained, Series: c.name, At: inTime, Value: last, Unit: "queries/s"})
	}
	return rows, nil
}

func seconds(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }
