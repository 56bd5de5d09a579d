package idxbench

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/loadtest"
	"github.com/pinion-index/pinion/query"
)

// costHead is the head of a file of recorded costs. Times are in nanoseconds.
var costHead = []string{"mode", "k", "terms", "shortest", "second", "sum", "cpu_ns", "gpu_ns", "host_ns", "alone_ns", "predicted_cpu_ns", "predicted_gpu_ns", "predicted_host_ns", "predicted_alone_ns"}

// simulatedModel is the model of simulated rows.
const simulatedModel = "simulated"

// recorded is a query of a file of recorded costs.
type recorded struct {
	features hybrid.Features
	mode     string
	query    query.Query // nothing if it was read from a file
	record   hybrid.Record
}

func writeCosts(w io.Writer, all []recorded) error {
	c := csv.NewWriter(w)
	if err := c.Write(costHead); err != nil {
		return err
	}
	for _, r := range all {
		f, m, p := r.features, r.record.Cost, r.record.Predicted
		row := []string{r.mode}
		for _, n := range []uint64{uint64(f.K), uint64(f.Terms), f.Shortest, f.Second, f.Sum, uint64(m.CPU), uint64(m.GPU), uint64(m.Host), uint64(m.Alone), uint64(p.CPU), uint64(p.GPU), uint64(p.Host), uint64(p.Alone)} {
			row = append(row, strconv.FormatUint(n, 10))
		}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// readCosts reads what writeCosts wrote. Of the features, only the mode and k are needed.
func readCosts(path string) ([]recorded, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	rows, err := csv.NewReader(in).ReadAll() // all of one length
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) < 2 || !slices.Equal(rows[0], costHead) && !slices.Equal(rows[0], costHead[:len(costHead)-1]) {
		return nil, fmt.Errorf("%s holds no recorded costs", path)
	}
	var out []recorded
	for i, row := range rows[1:] {
		var n [13]time.Duration
		for k := range row[1:] {
			v, err := strconv.ParseUint(row[k+1], 10, 62)
			if err != nil {
				return nil, fmt.Errorf("%s: line %d: %s is %q, not a number", path, i+2, costHead[k+1], row[k+1])
			}
			n[k] = time.Duration(v)
		}
		mode, err := query.ParseMode(row[0])
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, i+2, err)
		}
		out = append(out, recorded{features: hybrid.Features{Mode: mode, K: int(n[0])}, mode: row[0], record: hybrid.Record{Mode: mode,
			Cost:      hybrid.Cost{CPU: n[5], GPU: n[6], Host: n[7], Alone: n[8]},
			Predicted: hybrid.Cost{CPU: n[9], GPU: n[10], Host: n[11], Alone: n[12]}}})
	}
	return out, nil
}

// simulated runs --simulate.
func (f *loadFlags) simulated(ctx context.Context, stderr io.Writer) (*Load, error) {
	all, err := readCosts(f.simulate)
	if err != nil {
		return nil, err
	}
	model := hybrid.DefaultModel()
	if f.cost != "" {
		if model, err = readModel(f.cost, stderr); err != nil {
			return nil, err
		}
	}
	records := recordsOf(all, f.mode.Value)
	if len(records) == 0 {
		return nil, fmt.Errorf("%s holds no query of mode %s", f.simulate, f.mode.Value)
	}
	workers, rates := f.workers, f.rates
	if len(workers) == 0 {
		workers = []int{runtime.NumCPU()}
	}
	find := f.finds()
	if len(rates) == 0 {
		rates = []float64{0}
	}
	out := &Load{Index: "simulated", Queries: len(records), Mode: f.mode.Value, K: all[0].features.K, CPUs: workers[0], GPU: "simulated", deadline: f.deadline}
	p := cli.NewProgress(stderr, "simulate", 0, cli.ItemRate("runs"))
	defer p.Stop()
	start := time.Now()
	for _, name := range f.devices {
		mode, err := hybrid.ParseMode(name)
		if err != nil {
			return nil, err
		}
		for _, n := range workers {
			one := simulator{f, model, mode, n, records}
			for _, rate := range rates {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				row, err := one.row(rate, f.time)
				if err != nil {
					return nil, err
				}
				out.Rows = append(out.Rows, row)
				p.Set(int64(len(out.Rows)))
				if !find {
					continue
				}
				if row, err = findHighest(row.Throughput, f.time, one.row); err != nil {
					return nil, err
				}
				out.Rows = append(out.Rows, row)
			}
			out.summary = append(out.summary, one.regret(out.Rows)...)
		}
	}
	for _, n := range workers {
		out.summary = append(out.summary, (&simulator{f, model, hybrid.Parallel, n, records}).best())
	}
	out.Seconds = time.Since(start).Seconds()
	return out, nil
}

// recordsOf returns the records of a mode. Those of mixed ones take turns, as in ask.
func recordsOf(all []recorded, mode string) (records []hybrid.Record) {
	var names []string
	byMode := map[string][]hybrid.Record{}
	for _, r := range all {
		if mode != mixed && mode != r.mode {
			continue
		}
		if byMode[r.mode] == nil {
			names = append(names, r.mode)
		}
		byMode[r.mode] = append(byMode[r.mode], r.record)
	}
	for i := 0; len(names) > 0; i++ {
		names = slices.DeleteFunc(names, func(name string) bool { return i == len(byMode[name]) })
		for _, name := range names {
			records = append(records, byMode[name][i])
		}
	}
	return records
}

// simulator runs simulations of one machine.
type simulator struct {
	f       *loadFlags
	model   *hybrid.Model
	mode    hybrid.Mode
	workers int
	records []hybrid.Record
}

// row simulates arrivals for d, after a quarter of that as warm-up; at saturation it
// answers the whole log several times, and at least 20 times what waits, or 100 times where
// the scheduler compares ways to divide the queries.
func (s *simulator) row(rate float64, d time.Duration) (LoadRow, error) {
	row := LoadRow{Device: s.mode.String(), Model: simulatedModel, Workers: s.workers, Offered: rate}
	times, warm := 20, 0
	if s.mode == hybrid.Parallel {
		times = 100
	}
	n := (times*s.f.backlog()/len(s.records) + 5) * len(s.records)
	if rate > 0 {
		warm = int(rate * d.Seconds() / 4)
		n = max(warm+int(rate*d.Seconds()), 1)
	}
	simulation := hybrid.Simulation{Options: hybrid.Options{Model: s.model, Mode: s.mode, Deadline: s.f.deadline, Queue: s.f.queue},
		Workers: s.workers, Rate: rate, Backlog: s.f.backlog(), Queries: n, Warm: warm, Seed: s.f.seed}
	if rate == 0 && inGroups(s.mode) {
		simulation.Callers, simulation.Group = s.workers, min(s.f.backlog(), saturatedGroup)
	}
	o, err := hybrid.Simulate(s.records, simulation)
	if err != nil {
		return row, err
	}
	h := loadtest.NewLatencies()
	for _, t := range o.Took {
		loadtest.Record(h, t)
		if rate > 0 && s.f.deadline > 0 && t > s.f.deadline {
			row.Missed++
		}
	}
	row.SetLatencies(h)
	row.Throughput = o.Throughput
	row.Behind = rate > 0 && o.Elapsed > d+d/8+time.Millisecond
	if rate == 0 {
		row.Mean = 0 // says only how many wait
	}
	row.Shares = newShares(o.Stats)
	return row, nil
}

// inGroups reports whether runs at saturation ask groups of queries.
func inGroups(mode hybrid.Mode) bool { return mode == hybrid.OnlyGPU || mode == hybrid.Parallel }

// regret compares what the machine reached at saturation with the best choice in
// hindsight.
func (s *simulator) regret(rows []LoadRow) (out []string) {
	for _, r := range rows {
		if r.Device == s.mode.String() && r.Workers == s.workers && r.Offered == 0 {
			more := s.rate(s.oracle().Oracle)/r.Throughput - 1
			out = append(out, fmt.Sprintf("%s, %s: %s %% more time than with the best choice for each query in hindsight", s.mode, cli.Number(s.workers, "worker"), cli.Float(100*more, 3)))
		}
	}
	return out
}

// best says what the machine could do.
func (s *simulator) best() string {
	b := s.oracle()
	return fmt.Sprintf("%s, at best: %s queries/s on the CPU, %s on the GPU, %s with the best choices", cli.Number(s.workers, "worker"),
		cli.Float(s.rate(b.CPU), 4), cli.Float(s.rate(b.GPU), 4), cli.Float(s.rate(b.Oracle), 4))
}

// oracle returns the bounds of a machine all of whose cores are busy.
func (s *simulator) oracle() hybrid.Bound {
	records, crowd := slices.Clone(s.records), max(s.model.Crowd, 1)
	for i := range records {
		c := &records[i].Cost
		c.CPU, c.Host = time.Duration(crowd*float64(c.CPU)), time.Duration(crowd*float64(c.Host))
	}
	return hybrid.Oracle(records, s.workers, 4096, s.model.Batch)
}

func (s *simulator) rate(d time.Duration) float64 {
	return float64(len(s.records)) / max(d, 1).Seconds()
}
