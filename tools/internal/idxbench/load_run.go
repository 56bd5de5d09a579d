package idxbench

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
)

// run describes one measurement.
type run struct {
	figure    string
	device    string // "" is the CPU
	model     pool.Model
	workers   int
	threshold int
	terms     int
	rate      float64 // 0: saturation

	// One query after the other, instead of a rate.
	alone bool
	pause time.Duration // before each query; 0 means idle
	most  int           // queries to ask at most; 0 for as many as time allows
}

// measure runs r on queries for d, after a quarter of that as warm-up.
func (l *loader) measure(ctx context.Context, r run, queries []query.Query, d time.Duration) (LoadRow, error) {
	row := LoadRow{Figure: r.figure, Device: cmp.Or(r.device, onCPU), Model: r.model.String(), Workers: r.workers, Threshold: r.threshold, Terms: r.terms, Offered: r.rate}
	threads := r.workers
	if row.Device != onCPU {
		threads = max(threads, l.out.CPUs)
	}
	runtime.GOMAXPROCS(threads)
	p, err := l.target(r)
	if err != nil {
		return row, err
	}
	defer p.Close()
	if r.alone {
		if r.pause == 0 {
			r.pause = idle
		}
		row.Alone, row.Pause = true, float64(r.pause)/float64(time.Microsecond)
		err = alone(ctx, p, queries, r, d, l.f.deadline, &row)
	} else if x, ok := p.(*hybridTarget); ok && r.rate == 0 && x.group > 0 {
		err = saturateGroups(ctx, x.Executor, queries, x.group, d, &row)
	} else if r.rate == 0 {
		err = saturate(ctx, p, queries, d, &row)
	} else {
		err = arrive(ctx, p, queries, arrivals(r.rate, d/4+d, l.f.seed), d, l.f.deadline, &row)
	}
	p.report(&row)
	l.done++
	l.progress.Update(l.done, max(l.total, l.done))
	return row, err
}

// backlog is the number of queries that are running or waiting at saturation, and with a
// GPU, which takes thousands at a time.
const backlog, deviceBacklog = 512, 1 << 15

// saturate keeps queries waiting: each answer submits another query.
func saturate(ctx context.Context, p target, queries []query.Query, d time.Duration, row *LoadRow) error {
	var next, answered atomic.Int64
	var failed atomic.Pointer[error]
	var group sync.WaitGroup
	begin, busy := time.Now(), cputime.Process()
	from, to := d/4, d/4+d
	var follow func([]query.Hit, error)
	submit := func() {
		q := &queries[int(next.Add(1)-1)%len(queries)]
		if err := p.Submit(ctx, q, follow); err != nil {
			failed.Store(&err)
			group.Done()
		}
	}
	follow = func(_ []query.Hit, err error) {
		at := time.Since(begin)
		if err != nil {
			failed.Store(&err)
		}
		if at >= from && at < to {
			answered.Add(1)
		}
		if at >= to || err != nil {
			group.Done()
			return
		}
		submit()
	}
	for range p.backlog() {
		group.Add(1)
		submit()
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	row.cpus(begin, busy)
	row.Queries = uint64(answered.Load())
	row.Throughput = float64(row.Queries) / d.Seconds()
	return nil
}

// saturateGroups asks groups of queries from one goroutine for each CPU. The answers of a
// group count by the part of its time that lies after the warm-up and before the end.
func saturateGroups(ctx context.Context, x query.Executor, queries []query.Query, size int, d time.Duration, row *LoadRow) error {
	all := queries
	for len(all) < size+len(queries) { // any group is a part of it
		all = append(all[:len(all):len(all)], queries...)
	}
	var next, answered atomic.Int64
	var failed atomic.Pointer[error]
	var group sync.WaitGroup
	begin, busy := time.Now(), cputime.Process()
	from, to := d/4, d/4+d
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			var arena query.Arena
			for failed.Load() == nil {
				started := time.Since(begin)
				if started >= to {
					return
				}
				lo := int(next.Add(int64(size))-int64(size)) % len(queries)
				if _, err := arena.Execute(ctx, x, all[lo:lo+size]); err != nil {
					failed.Store(&err)
					return
				}
				answered.Add(within(started, time.Since(begin), from, to, size))
			}
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	row.cpus(begin, busy)
	row.Queries = uint64(answered.Load())
	row.Throughput = float64(row.Queries) / d.Seconds()
	return nil
}

// within returns how many of n answers, given evenly from a to b, lie in the time from up to to.
func within(a, b, from, to time.Duration, n int) int64 {
	if lo, hi := max(a, from), min(b, to); hi > lo {
		return int64(float64(n)*float64(hi-lo)/float64(b-a) + 0.5)
	}
	return 0
}

// arrive lets queries arrive when they are due. What arrives in the first quarter of d, the
// warm-up, does not count.
func arrive(ctx context.Context, p target, queries []query.Query, due []time.Duration, d, deadline time.Duration, row *LoadRow) error {
	defer spareProcs()()
	askers := askers()
	a := newAsking(due, askers)
	defer a.clock.stop()
	a.ask = func(i int, done func([]query.Hit, error)) error {
		return p.Submit(ctx, &queries[i%len(queries)], done)
	}
	begin, busy := time.Now(), cputime.Process()
	a.run(askers)
	if err := a.failed.Load(); err != nil {
		return *err
	}
	took := a.took
	row.cpus(begin, busy)
	h, late := newLatencies(), newLatencies()
	last := d / 4
	for i, at := range due {
		switch {
		case at < d/4:
		case took[i] == refused:
			row.Shed++
		default:
			record(h, took[i])
			record(late, a.asked[i]-at)
			last = max(last, at+took[i])
			if deadline > 0 && took[i] > deadline {
				row.Missed++
			}
		}
	}
	row.Throughput = float64(h.TotalCount()) / max(last-d/4, d).Seconds()
	row.behind = last > d/4+d+d/8
	row.latencies(h)
	row.Asked = float64(late.ValueAtPercentile(99)) / 1e3
	row.asked, row.took = a.asked, a.took
	return nil
}

// refused stands for the latency of a query that was not answered.
const refused = time.Duration(-1)

// idle is the default pause between queries that are asked alone.
const idle = time.Millisecond

// alone asks one query after the other for d, each a pause after the previous one was
// answered, and at most r.most of them unless that is 0.
func alone(ctx context.Context, p target, queries []query.Query, r run, d, deadline time.Duration, row *LoadRow) error {
	began, used := time.Now(), cputime.Process()
	clock := newClock()
	defer clock.stop()
	h := newLatencies()
	busy := time.Duration(0)
	var hits []query.Hit
	for n := 0; r.most == 0 && (clock.now() < d || n == 0) || n < r.most; n++ {
		clock.wait(clock.now() + r.pause)
		start := clock.now()
		var err error
		if hits, err = p.AppendHits(ctx, hits[:0], &queries[n%len(queries)]); err != nil {
			return err
		}
		took := clock.now() - start
		record(h, took)
		if deadline > 0 && took > deadline {
			row.Missed++
		}
		busy += took
	}
	row.cpus(began, used)
	row.Throughput = float64(h.TotalCount()) / max(busy, 1).Seconds()
	row.latencies(h)
	return nil
}

// cpus records how many CPUs were busy on average since begin, when the CPU time of the
// process was used.
func (row *LoadRow) cpus(begin time.Time, used time.Duration) {
	row.CPUs = (cputime.Process() - used).Seconds() / max(time.Since(begin).Seconds(), 1e-9)
}

// newLatencies returns a histogram of nanoseconds, up to an hour, whose values are
// exact to three significant digits.
func newLatencies() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(time.Hour), 3)
}

func record(h *hdrhistogram.Histogram, d time.Duration) {
	h.RecordValue(int64(min(max(d, 0), time.Hour))) // in range: no error
}

// latencies sets the latencies of row from h, in microseconds.
func (row *LoadRow) latencies(h *hdrhistogram.Histogram) {
	at := func(percentile float64) float64 { return float64(h.ValueAtPercentile(percentile)) / 1e3 }
	row.Queries = uint64(h.TotalCount())
	row.Mean, row.Max = h.Mean()/1e3, float64(h.Max())/1e3
	row.P50, row.P95, row.P99, row.P999 = at(50), at(95), at(99), at(99.9)
}

// arrivals returns when queries are due. At least one is due in the last four fifths of
// d.
func arrivals(rate float64, d time.Duration, seed uint64) []time.Duration {
	rng := rand.New(rand.NewPCG(seed, 11))
	var due []time.Duration
	for at := 0.0; ; {
		at += rng.ExpFloat64() / rate
		t := time.Duration(at * float64(time.Second))
		if t >= d && len(due) > 0 && due[len(due)-1] >= d/5 {
			return due
		}
		due = append(due, t)
	}
}

// clock measures the time since start. One goroutine waits on it.
type clock struct{ start time.Time }

func newClock() *clock {
	runtime.LockOSThread()
	sharpen()
	return &clock{time.Now()}
}

func (c *clock) stop() { runtime.UnlockOSThread() }

func (c *clock) now() time.Duration { return time.Since(c.start) }

// wait returns at the given time, at most a few microseconds late. It sleeps for most
// of the wait and spins for the rest.
func (c *clock) wait(until time.Duration) {
	const margin = 60 * time.Microsecond
	for {
		left := until - c.now()
		if left <= 0 {
			return
		}
		if left > margin {
			sleep(left - margin)
		}
	}
}
