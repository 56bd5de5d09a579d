// Package loadtest replays queries against what answers them: at saturation, as they arrive, or one
// after the other.
//
//	result.go  what a run measured
//	run.go     the runs
//	asking.go  several goroutines that ask queries when they are due
//	clock.go   a clock that wakes on time
package loadtest

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/pinion-index/pinion/internal/cputime"
)

// Result is what a run measured. Latencies are in microseconds, from when a query was due to when its
// result was ready.
type Result struct {
	Throughput float64 `json:"throughput_qps"`
	Queries    uint64  `json:"queries"`
	CPUs       float64 `json:"cpus"` // busy on average, including the one that submits queries
	Mean       float64 `json:"mean_us,omitempty"`
	P50        float64 `json:"p50_us,omitempty"`
	P95        float64 `json:"p95_us,omitempty"`
	P99        float64 `json:"p99_us,omitempty"`
	P999       float64 `json:"p999_us,omitempty"`
	Max        float64 `json:"max_us,omitempty"`
	Asked      float64 `json:"asked_p99_us,omitempty"` // how late the load generator asked a query, 99th percentile
	Missed     uint64  `json:"missed,omitempty"`       // answered after the deadline
	Shed       uint64  `json:"shed,omitempty"`         // refused, because too many waited

	Behind  bool            `json:"-"` // arrivals were not answered in time
	Took    []time.Duration `json:"-"` // of each query, since it was due, or Refused
	AskedAt []time.Duration `json:"-"` // when each query was, since the start
}

// Refused stands for the latency of a query that was not answered.
const Refused = time.Duration(-1)

// busy records how many CPUs were busy on average since begin, when the CPU time of the
// process was used.
func (r *Result) busy(begin time.Time, used time.Duration) {
	r.CPUs = (cputime.Process() - used).Seconds() / max(time.Since(begin).Seconds(), 1e-9)
}

// NewLatencies returns a histogram of nanoseconds, up to an hour, whose values are
// exact to three significant digits.
func NewLatencies() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(time.Hour), 3)
}

// Record adds a duration to a histogram of NewLatencies.
func Record(h *hdrhistogram.Histogram, d time.Duration) {
	h.RecordValue(int64(min(max(d, 0), time.Hour))) // in range: no error
}

// SetLatencies sets the latencies of r from h, in microseconds.
func (r *Result) SetLatencies(h *hdrhistogram.Histogram) {
	at := func(percentile float64) float64 { return float64(h.ValueAtPercentile(percentile)) / 1e3 }
	r.Queries = uint64(h.TotalCount())
	r.Mean, r.Max = h.Mean()/1e3, float64(h.Max())/1e3
	r.P50, r.P95, r.P99, r.P999 = at(50), at(95), at(99), at(99.9)
}
