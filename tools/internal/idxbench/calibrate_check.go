package idxbench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/loadtest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
)

// CheckRow compares a run with the simulation of the same arrivals. Latencies are in
// microseconds.
type CheckRow struct {
	Device  string      `json:"device"`
	Mode    string      `json:"mode"`
	Workers int         `json:"workers"`
	Offered float64     `json:"offered_qps"` // arrivals a second
	Queries int         `json:"queries"`
	Run     CheckFigure `json:"run"`
	Model   CheckFigure `json:"simulated"`
}

// CheckFigure is what a run or a simulation gave.
type CheckFigure struct {
	Mean       float64 `json:"mean_us"`
	P99        float64 `json:"p99_us"`
	GPU        float64 `json:"gpu_share"` // of the queries
	Throughput float64 `json:"throughput_qps"`
}

// check runs queries of a mode as they arrive, and simulates them, on each processor and at
// each rate of --check.
func (c *calibrator) check(ctx context.Context, m *hybrid.Model) (rows []CheckRow, err error) {
	f := c.flags
	if len(f.rates) == 0 {
		return nil, nil
	}
	devices := []hybrid.Mode{hybrid.OnlyCPU}
	gpu := query.Executor(noDevice{})
	if c.gpu != nil {
		devices, gpu = append(devices, hybrid.OnlyGPU, hybrid.Parallel), c.gpu.x
	}
	cpus := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(cpus)
	runtime.GOMAXPROCS(max(cpus, f.workers+1)) // one submits the queries
	for _, mode := range f.modes {
		var queries []query.Query
		var records []hybrid.Record
		for i := range c.test {
			if r := &c.test[i]; r.mode == mode {
				queries, records = append(queries, r.query), append(records, c.final(r, m))
			}
		}
		if len(queries) == 0 {
			continue
		}
		for _, device := range devices {
			for _, rate := range f.rates {
				var some []CheckRow // with other arrivals
				for i := range f.repeat {
					time.Sleep(checkPause)
					row := CheckRow{Device: device.String(), Mode: mode, Workers: f.workers, Offered: rate}
					due := loadtest.Arrivals(rate, f.time/4+f.time, f.seed+uint64(i))
					o := hybrid.Options{Model: m, Mode: device}
					asked, err := c.checkRun(ctx, gpu, queries, due, o, &row)
					if err != nil {
						return nil, err
					}
					if err := checkSimulation(records, due, asked, f, o, &row); err != nil {
						return nil, err
					}
					some = append(some, row)
				}
				rows = append(rows, medianRow(some))
				c.progress.Set(c.done)
			}
		}
	}
	return rows, nil
}

// medianRow returns the medians of all figures.
func medianRow(rows []CheckRow) CheckRow {
	out := rows[0]
	for _, of := range []func(*CheckRow) *float64{
		func(r *CheckRow) *float64 { return &r.Run.Mean }, func(r *CheckRow) *float64 { return &r.Run.P99 },
		func(r *CheckRow) *float64 { return &r.Run.GPU }, func(r *CheckRow) *float64 { return &r.Run.Throughput },
		func(r *CheckRow) *float64 { return &r.Model.Mean }, func(r *CheckRow) *float64 { return &r.Model.P99 },
		func(r *CheckRow) *float64 { return &r.Model.GPU }, func(r *CheckRow) *float64 { return &r.Model.Throughput },
	} {
		var v []float64
		for i := range rows {
			v = append(v, *of(&rows[i]))
		}
		slices.Sort(v)
		*of(&out) = v[len(v)/2]
	}
	return out
}

// checkRun is the run of a row. It returns when the queries were asked.
func (c *calibrator) checkRun(ctx context.Context, gpu query.Executor, queries []query.Query, due []time.Duration, o hybrid.Options, row *CheckRow) (asked []time.Duration, err error) {
	p, err := pool.New(c.searcher, pool.Options{Workers: c.flags.workers, SpinFor: c.flags.spin})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	x, err := hybrid.New(p, gpu, o)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	var got LoadRow
	if err := loadtest.Arrive(ctx, &hybridTarget{Executor: x, pool: p}, queries, due, c.flags.time, 0, &got.Result); err != nil {
		return nil, err
	}
	s := x.Stats()
	row.Queries = int(got.Queries)
	row.Run = CheckFigure{Mean: got.Mean, P99: got.P99, GPU: float64(s.GPU.Queries) / float64(max(s.CPU.Queries+s.GPU.Queries, 1)), Throughput: got.Throughput}
	return got.AskedAt, s.Retired
}

// checkSimulation is the simulation of a row: queries arrive when they were asked, some late, and take
// the time since they were due.
func checkSimulation(records []hybrid.Record, due, asked []time.Duration, f *calibrateFlags, o hybrid.Options, row *CheckRow) error {
	order := make([]int, len(due))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(asked[a], asked[b]) })
	arriving, arrivals, warm := make([]hybrid.Record, len(due)), make([]time.Duration, len(due)), 0
	for k, i := range order {
		arriving[k], arrivals[k] = records[i%len(records)], asked[i]
		if asked[i] < f.time/4 && k < len(due)-1 {
			warm++
		}
	}
	out, err := hybrid.Simulate(arriving, hybrid.Simulation{Options: o, Workers: f.workers, Arrivals: arrivals, Warm: warm})
	if err != nil {
		return err
	}
	h := loadtest.NewLatencies()
	for k, t := range out.Took {
		i := order[warm+k]
		loadtest.Record(h, t+asked[i]-due[i])
	}
	s := out.Stats
	row.Model = CheckFigure{Mean: h.Mean() / 1e3, P99: float64(h.ValueAtPercentile(99)) / 1e3, GPU: float64(s.GPU.Queries) / float64(max(s.CPU.Queries+s.GPU.Queries, 1)), Throughput: out.Throughput}
	return nil
}

func (c *Calibration) checkText(w io.Writer) {
	if len(c.Checks) == 0 {
		return
	}
	fmt.Fprintf(w, "\nRuns and simulations of the same arrivals, test queries, %s; latencies in microseconds\n", cli.Number(c.Checks[0].Workers, "worker"))
	t := cli.NewTable("device", "mode", ">rate", ">queries", ">mean", ">simulated", ">ratio", ">p99", ">simulated", ">ratio", ">on the GPU", ">simulated")
	share := func(v float64) string { return cli.Float(100*v, 3) + " %" }
	for _, r := range c.Checks {
		t.Row(r.Device, r.Mode, cli.Float(r.Offered, 3), r.Queries, cli.Float(r.Run.Mean, 3), cli.Float(r.Model.Mean, 3), cli.Float(r.Model.Mean/r.Run.Mean, 3),
			cli.Float(r.Run.P99, 3), cli.Float(r.Model.P99, 3), cli.Float(r.Model.P99/r.Run.P99, 3), share(r.Run.GPU), share(r.Model.GPU))
	}
	t.WriteTo(w)
}

// checkPause is between the runs, so that a scheduler that bounds the CPU time of a process
// does not stop one.
const checkPause = 50 * time.Millisecond

// checkTime is the default duration of a run of --check.
const checkTime = 2 * time.Second
