package idxbench

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// csvHead are the columns of --csv.
var csvHead = []string{"device", "model", "workers", "offered_qps", "throughput_qps", "queries", "cpus", "mean_us", "p50_us", "p95_us", "p99_us", "p999_us", "max_us",
	"missed", "shed", "highest", "cpu_queries", "gpu_queries", "mode", "k", "alone", "pause_us",
	"batches", "cpu_missed", "gpu_missed", "again", "most_waiting", "cpu_us", "gpu_us", "retired"}

// csv writes the rows as comma-separated values with a head.
func (l *Load) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(csvHead); err != nil {
		return err
	}
	for i := range l.Rows {
		if err := c.Write(l.record(&l.Rows[i])); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// record returns what csv writes of a row: nothing for what was not measured.
func (l *Load) record(r *LoadRow) []string {
	when := func(measured bool, v any) string {
		if !measured {
			return ""
		}
		if f, ok := v.(float64); ok {
			return strconv.FormatFloat(f, 'g', 7, 64)
		}
		return fmt.Sprint(v)
	}
	arrive := r.Offered > 0 && !r.Alone
	out := []string{r.Device, r.Model, when(true, r.Workers), when(!r.Alone, r.Offered), when(true, r.Throughput), when(true, r.Queries), when(r.CPUs > 0, r.CPUs)}
	for _, v := range []float64{r.Mean, r.P50, r.P95, r.P99, r.P999, r.Max} {
		out = append(out, when(r.Mean > 0, v))
	}
	out = append(out, when(l.deadline > 0 && (arrive || r.Alone), r.Missed), when(arrive, r.Shed), when(true, r.Highest))
	s, shared := r.Shares, r.Shares != nil
	if !shared {
		s = &Shares{CPU: int64(r.Queries)} // without a scheduler the CPU answers all
	}
	late := shared && l.deadline > 0
	return append(out, when(true, s.CPU), when(true, s.GPU), l.Mode, when(true, l.K), when(true, r.Alone), when(r.Alone, r.Pause),
		when(shared, s.Batches), when(late, s.CPUMissed), when(late, s.GPUMissed), when(shared, s.Again), when(shared, s.Most), when(shared, s.CPUTime),
		when(shared, s.GPUTime), s.Retired)
}
