package hybrid

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
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
	Options Options // Model gives the fixed time of a batch, and what cores take from each other
	Workers int     // cores; 0 means 16
	// Rate is the number of arrivals per second, as a Poisson process. 0 means
	// saturation: Backlog queries always wait.
	Rate float64
	// Arrivals are when queries arrive, ascending, from 0 on. If there are any, they
	// replace Rate and Queries.
	Arrivals []time.Duration
	Backlog  int // 0 means 4,096
	Queries  int // to simulate, taken from the records in turn; 0 means each once
	Warm     int // of these, the first do not count in the results
	Seed     uint64
}

// Outcome is what a simulation measured.
type Outcome struct {
	Took       []time.Duration // by query, from arrival to answer; those after Warm
	Elapsed    time.Duration   // from the first arrival after Warm to the last answer
	Throughput float64         // answers per second in that time
	Stats      Stats
}

// Simulate answers the queries of records on a simulated machine. The error matches
// query.ErrInvalid.
func Simulate(records []Record, s Simulation) (*Outcome, error) {
	if err := s.Options.check(); err != nil {
		return nil, err
	}
	s.Options.setDefaults()
	if len(records) == 0 || s.Rate < 0 || s.Workers < 0 || s.Backlog < 0 || s.Queries < 0 || s.Warm < 0 {
		return nil, fmt.Errorf("%w: simulation of %d queries of %d records at %v/s on %d workers", query.ErrInvalid, s.Queries, len(records), s.Rate, s.Workers)
	}
	w := newWorld(records, s)
	w.run()
	return w.outcome(), nil
}

func newWorld(records []Record, s Simulation) *world {
	if s.Workers == 0 {
		s.Workers = 16
	}
	if s.Backlog == 0 {
		s.Backlog = 4096
	}
	if len(s.Arrivals) > 0 {
		s.Queries = len(s.Arrivals)
	}
	if s.Queries == 0 {
		s.Queries = len(records)
	}
	return &world{s: s, records: records, policy: newPolicy(&s.Options, s.Workers), idle: make([]time.Duration, s.Workers), rng: rand.New(rand.NewPCG(s.Seed, 17))}
}

// world is a running simulation.
type world struct {
	s       Simulation
	records []Record
	policy  *policy
	rng     *rand.Rand
	now     time.Duration

	events  events
	order   int             // of events, so that equal times keep it
	idle    []time.Duration // since when the free cores are, ascending
	host    []*simJob       // work for the GPU's batches, before all others
	pool    []*simJob       // queries that the CPU has taken
	device  time.Duration
	arrived int
	taken   []*entry // memory

	arrivals, took []time.Duration
	missed         [2]int64
}

// simJob is work for one core: a query, or a share of a batch's preparation.
type simJob struct {
	e     *entry
	batch *simBatch
	work  time.Duration
}

type simBatch struct {
	entries   []*entry
	predicted time.Duration
	parts     int // of the preparation, not finished
	work      time.Duration
	least     time.Duration // it takes at least that after the preparation
}

// event is a moment at which something ends or arrives.
type event struct {
	at    time.Duration
	order int
	do    func()
}

type events []event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].order < h[j].order
}
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push adds an event.
func (h *events) Push(x any) { *h = append(*h, x.(event)) }

// Pop removes the last event.
func (h *events) Pop() any {
	n := len(*h) - 1
	e := (*h)[n]
	*h = (*h)[:n]
	return e
}

func (w *world) after(d time.Duration, do func()) {
	w.order++
	heap.Push(&w.events, event{w.now + d, w.order, do})
}

func (w *world) run() {
	w.arrivals, w.took = make([]time.Duration, w.s.Queries), make([]time.Duration, w.s.Queries)
	switch {
	case len(w.s.Arrivals) > 0:
		w.after(w.s.Arrivals[0], w.arrive)
	case w.s.Rate > 0:
		w.after(0, w.arrive)
	default:
		for range min(w.s.Backlog, w.s.Queries) {
			w.admit()
		}
		w.dispatch()
	}
	for len(w.events) > 0 {
		e := heap.Pop(&w.events).(event)
		w.now = e.at
		e.do()
		w.dispatch()
	}
}

// arrive lets a query in and schedules the next arrival.
func (w *world) arrive() {
	w.admit()
	switch {
	case w.arrived == w.s.Queries:
	case len(w.s.Arrivals) > 0:
		w.after(max(w.s.Arrivals[w.arrived]-w.now, 0), w.arrive)
	default:
		w.after(time.Duration(w.rng.ExpFloat64()/w.s.Rate*float64(time.Second)), w.arrive)
	}
}

func (w *world) admit() {
	i := w.arrived
	w.arrived++
	w.arrivals[i] = w.now
	r := &w.records[i%len(w.records)]
	e := &entry{cost: r.Predicted, pinned: r.Pinned, sim: i}
	if e.cost == (Cost{}) {
		e.cost = r.Cost
	}
	w.policy.add(e, w.now, w.s.Options.Deadline)
}

// dispatch lets the policy hand out work and idle cores take it.
func (w *world) dispatch() {
	p := w.policy
	w.taken = p.takeCPU(w.now, w.taken[:0])
	for _, e := range w.taken {
		w.pool = append(w.pool, &simJob{e: e, work: w.measured(e).CPU})
	}
	for {
		entries, work := p.takeGPU(w.now, nil)
		if len(entries) == 0 {
			break
		}
		w.prepare(&simBatch{entries: entries, predicted: work})
	}
	for len(w.idle) > 0 && len(w.host)+len(w.pool) > 0 {
		q := &w.host
		if len(*q) == 0 {
			q = &w.pool
		}
		j := (*q)[0]
		*q = (*q)[1:]
		last := len(w.idle) - 1 // the one that spins most likely
		delay := w.wake(w.now-w.idle[last], j)
		w.idle = w.idle[:last]
		w.after(delay+w.crowded(j.work), func() { w.finish(j) })
	}
}

// crowded returns how long work takes a core beside those that are busy.
func (w *world) crowded(work time.Duration) time.Duration {
	others := w.s.Workers - len(w.idle) - 1
	if others <= 0 || w.s.Options.Model.Crowd == 0 {
		return work
	}
	more := (w.s.Options.Model.Crowd - 1) * float64(others) / float64(w.s.Workers-1)
	return time.Duration(float64(work) * max(1+more, 0))
}

// wake returns how much later a job ends on a core that has been idle for some time. It
// lies between the times measured for the next shorter and the next longer one.
func (w *world) wake(idle time.Duration, j *simJob) time.Duration {
	m := w.s.Options.Model
	at := len(m.Wakes) - 1
	for at >= 0 && m.Wakes[at].Idle > idle {
		at--
	}
	if idle == 0 || at < 0 {
		if j.e == nil {
			return 0
		}
		return m.Queued
	}
	x := &m.Wakes[at]
	random := w.rng.Float64()
	late := x.late(random, j.work)
	if at+1 < len(m.Wakes) {
		next := &m.Wakes[at+1]
		share := float64(idle-x.Idle) / float64(next.Idle-x.Idle)
		late += share * (next.late(random, j.work) - late)
	}
	return time.Duration(late)
}

// late returns how much later work ends, in nanoseconds. random is from 0 up to 1.
func (x *Wake) late(random float64, work time.Duration) float64 {
	return float64(x.Delays[int(random*float64(len(x.Delays)))]) + x.Slower*float64(work)
}

func (w *world) measured(e *entry) Cost { return w.records[e.sim%len(w.records)].Cost }

// prepare cuts the host's work for a batch into shares of 64 queries, as gpuload does.
func (w *world) prepare(b *simBatch) {
	host := time.Duration(0)
	var load Load
	for _, e := range b.entries {
		r := &w.records[e.sim%len(w.records)]
		host += r.Cost.Host
		b.work += r.Cost.GPU
		load.Add(r.Mode, r.Cost)
	}
	b.parts = min(w.s.Workers, len(b.entries)/64+1)
	share := host / time.Duration(b.parts)
	// What is left of its time alone once the host has done its share.
	b.least = max(w.s.Options.Model.Alone(&load)-share, 0)
	for range b.parts {
		w.host = append(w.host, &simJob{batch: b, work: share})
	}
}

// finish ends the work of a core.
func (w *world) finish(j *simJob) {
	w.idle = append(w.idle, w.now)
	if b := j.batch; b != nil {
		if b.parts--; b.parts == 0 {
			// The device runs one batch after the other. The rest of what a batch takes alone,
			// launches and copies, overlaps with others.
			w.device = max(w.device, w.now) + b.work
			w.after(max(w.device-w.now, b.least), func() { w.answered(b) })
		}
		return
	}
	w.policy.finishCPU(1, j.e.cost.CPU, w.now)
	w.answer(j.e, 0)
}

// answered ends a batch.
func (w *world) answered(b *simBatch) {
	w.policy.finishGPU(len(b.entries), b.predicted, w.now)
	for _, e := range b.entries {
		w.answer(e, 1)
	}
}

func (w *world) answer(e *entry, by int) {
	w.took[e.sim] = w.now - w.arrivals[e.sim]
	if w.now > e.due {
		w.missed[by]++
	}
	if w.s.Rate == 0 && len(w.s.Arrivals) == 0 && w.arrived < w.s.Queries {
		w.admit()
	}
}

func (w *world) outcome() *Outcome {
	warm := min(w.s.Warm, w.s.Queries-1)
	o := &Outcome{Took: w.took[warm:], Stats: w.policy.snapshot(w.now)}
	for i := warm; i < w.s.Queries; i++ {
		o.Elapsed = max(o.Elapsed, w.arrivals[i]+w.took[i]-w.arrivals[warm])
	}
	o.Throughput = float64(len(o.Took)) / max(o.Elapsed, 1).Seconds()
	o.Stats.CPU.Missed, o.Stats.GPU.Missed = w.missed[0], w.missed[1]
	o.Stats.Missed = w.missed[0] + w.missed[1]
	return o
}
