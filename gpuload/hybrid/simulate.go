package hybrid

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion/query"
)

// Record is what one query was measured to cost.
type Record struct {
	Mode      query.Mode
	Cost      Cost
	Predicted Cost // by the Model that a simulation uses; zero means Cost
	Pinned    bool // only the CPU can answer it
}

// Simulation is a machine and a stream of queries. The scheduler is the one of an
// Executor, so that rates and machines can be tried that are not at hand (Ding 2009,
// section 9, simulates too). It is deterministic.
type Simulation struct {
	// Options are those of the Executor. Model gives the times of batches, and what cores take from
	// each other. No query is refused, however many wait.
	Options Options
	Workers int // cores; 0 means 16
	// Rate is the number of arrivals per second, as a Poisson process. 0 means
	// saturation: Backlog queries always wait, or Callers ask.
	Rate float64
	// Arrivals are when queries arrive, ascending, from 0 on. If there are any, they
	// replace Rate and Queries.
	Arrivals []time.Duration
	Backlog  int // 0 means 4,096
	// Callers is how many goroutines call Execute, each with Group queries at a time, at
	// saturation; 0 means that queries are submitted one by one. Group 0 means 2,048. As Execute
	// does, they use the queues in mode Serial, or if Group or Options.Queue is small.
	Callers, Group int
	Queries        int // to simulate, taken from the records in turn; 0 means each once
	Warm           int // of these, the first do not count in the results
	Seed           uint64

	start   time.Duration // the GPU answers no batch before
	slow    time.Duration // the first batches take longer by this each: they load lists
	outside time.Duration // core time of callers for each query, at saturation
}

// Outcome is what a simulation measured.
type Outcome struct {
	Took       []time.Duration // by query, from arrival to answer; those after Warm
	Elapsed    time.Duration   // from the first arrival after Warm to the last answer
	Throughput float64         // answers per second in that time; at saturation while queries wait
	Stats      Stats
}

// Simulate answers the queries of records on a simulated machine. The error matches
// query.ErrInvalid.
func Simulate(records []Record, s Simulation) (*Outcome, error) {
	if err := s.Options.check(); err != nil {
		return nil, err
	}
	if len(records) == 0 || !(s.Rate >= 0) || math.IsInf(s.Rate, 1) || s.Workers < 0 || s.Backlog < 0 || s.Queries < 0 || s.Warm < 0 || s.Callers < 0 || s.Group < 0 {
		return nil, fmt.Errorf("%w: simulation of %d queries of %d records at %v/s on %d workers", query.ErrInvalid, s.Queries, len(records), s.Rate, s.Workers)
	}
	s.Options.setDefaults()
	s.setDefaults(len(records))
	w := newWorld(records, s)
	w.run()
	return w.outcome(), nil
}

func (s *Simulation) setDefaults(records int) {
	if s.Workers == 0 {
		s.Workers = 16
	}
	if s.Backlog == 0 {
		s.Backlog = 4096
	}
	if s.Group == 0 {
		s.Group = 2048
	}
	s.Group = min(s.Group, mostGroup/2)
	if len(s.Arrivals) > 0 {
		s.Queries = len(s.Arrivals)
	}
	if s.Queries == 0 {
		s.Queries = records
	}
}

// begin lets the first queries in.
func (w *world) begin() {
	switch {
	case len(w.s.Arrivals) > 0:
		w.after(w.s.Arrivals[0], w.arrive)
	case w.s.Rate > 0:
		w.after(0, w.arrive)
	case w.s.Callers > 0:
		for lo := 0; lo < w.s.Queries; lo += w.s.Group {
			w.left = append(w.left, min(w.s.Group, w.s.Queries-lo))
		}
		for range w.s.Callers {
			w.call()
		}
	default:
		w.admit(min(w.s.Backlog, w.s.Queries))
	}
}

// arrive lets a query in and schedules the next arrival.
func (w *world) arrive() {
	w.admit(1)
	switch {
	case w.arrived == w.s.Queries:
	case len(w.s.Arrivals) > 0:
		w.after(max(w.s.Arrivals[w.arrived]-w.now, 0), w.arrive)
	default:
		w.after(time.Duration(w.rng.ExpFloat64()/w.s.Rate*float64(time.Second)), w.arrive)
	}
}

// admit lets n queries in that are submitted one by one.
func (w *world) admit(n int) {
	for range min(n, w.s.Queries-w.arrived) {
		w.arrivals[w.arrived] = w.now
		w.arrived++
		w.entered++
	}
}

// call lets the queries of one call of Execute in.
func (w *world) call() {
	n := min(w.s.Group, w.s.Queries-w.arrived)
	if n == 0 {
		return
	}
	asking := w.s.outside * time.Duration(n) / 2
	if w.s.Group < leastGroup || !w.divides() {
		w.goroutine(asking, func() { w.admit(n) })
		return
	}
	first := w.arrived
	for i := range n {
		w.arrivals[first+i] = w.now
	}
	w.arrived += n
	w.goroutine(asking, func() { w.group(first, n) })
}

// again lets others in for n queries that were submitted one by one and answered.
func (w *world) again(n int) {
	if w.s.Rate == 0 && len(w.s.Arrivals) == 0 && w.left == nil {
		w.goroutine(w.s.outside*time.Duration(n), func() { w.admit(n) })
	}
}

// took records that a query was answered, by the CPU or the GPU: by is 0 or 1. The caller whose
// last query it was calls again.
func (w *world) took(i, by int) {
	if w.left != nil {
		k := i / w.s.Group
		if w.left[k]--; w.left[k] == 0 {
			n := min(w.s.Group, w.s.Queries-k*w.s.Group)
			w.goroutine(w.s.outside*time.Duration(n)/2, w.call)
		}
	}
	w.times[i] = w.now - w.arrivals[i]
	if d := w.s.Options.Deadline; d > 0 && w.times[i] > d {
		w.missed[by]++
	}
}

func (w *world) outcome() *Outcome {
	warm := min(w.s.Warm, w.s.Queries-1)
	o := &Outcome{Took: w.times[warm:], Stats: w.policy.snapshot(w.now)}
	for i := warm; i < w.s.Queries; i++ {
		o.Elapsed = max(o.Elapsed, w.arrivals[i]+w.times[i]-w.arrivals[warm])
	}
	o.Throughput = float64(len(o.Took)) / max(o.Elapsed, 1).Seconds()
	if w.s.Rate == 0 && len(w.s.Arrivals) == 0 {
		o.Throughput = w.saturated()
	}
	o.Stats.Waiting.Most = w.most
	w.bulk.report(&o.Stats, w.now)
	o.Stats.CPU.Missed, o.Stats.GPU.Missed = w.missed[0], w.missed[1]
	o.Stats.Missed = w.missed[0] + w.missed[1]
	return o
}

// saturated returns answers per second from a quarter of them on until no more queries came. Those
// that the time begins with do not count.
func (w *world) saturated() float64 {
	answers := make([]time.Duration, len(w.times))
	for i, t := range w.times {
		answers[i] = w.arrivals[i] + t
	}
	slices.Sort(answers)
	from, last := len(answers)/4, w.arrivals[len(w.arrivals)-1]
	to, _ := slices.BinarySearch(answers, last)
	if to = max(to, 1); to <= from {
		from = 0
	}
	passed := answers[to-1] - answers[from]
	if passed <= 0 {
		return float64(len(answers)) / max(answers[len(answers)-1], 1).Seconds()
	}
	later, _ := slices.BinarySearch(answers, answers[from]+1)
	return float64(to-later) / passed.Seconds()
}
