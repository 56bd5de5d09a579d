package loadtest

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/search"
)

// Target is what answers queries.
type Target interface {
	Submit(ctx context.Context, q *search.Query, done func([]search.Hit, error)) error
	AppendHits(ctx context.Context, dst []search.Hit, q *search.Query) ([]search.Hit, error)
}

// Saturate keeps backlog queries waiting: each answer submits another query.
func Saturate(ctx context.Context, t Target, queries []search.Query, backlog int, d time.Duration, r *Result) error {
	var next, answered atomic.Int64
	var failed atomic.Pointer[error]
	var group sync.WaitGroup
	begin, busy := time.Now(), cputime.Process()
	from, to := d/4, d/4+d
	var follow func([]search.Hit, error)
	submit := func() {
		q := &queries[int(next.Add(1)-1)%len(queries)]
		if err := t.Submit(ctx, q, follow); err != nil {
			failed.Store(&err)
			group.Done()
		}
	}
	follow = func(_ []search.Hit, err error) {
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
	for range backlog {
		group.Add(1)
		submit()
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	r.busy(begin, busy)
	r.Queries = uint64(answered.Load())
	r.Throughput = float64(r.Queries) / d.Seconds()
	return nil
}

// SaturateGroups asks groups of queries from one goroutine for each CPU. The answers of a
// group count by the part of its time that lies after the warm-up and before the end.
func SaturateGroups(ctx context.Context, x search.Executor, queries []search.Query, size int, d time.Duration, r *Result) error {
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
			var arena search.Arena
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
	r.busy(begin, busy)
	r.Queries = uint64(answered.Load())
	r.Throughput = float64(r.Queries) / d.Seconds()
	return nil
}

// within returns how many of n answers, given evenly from a to b, lie in the time from up to to.
func within(a, b, from, to time.Duration, n int) int64 {
	if lo, hi := max(a, from), min(b, to); hi > lo {
		return int64(float64(n)*float64(hi-lo)/float64(b-a) + 0.5)
	}
	return 0
}

// Arrive lets queries arrive when they are due. What arrives in the first quarter of d, the
// warm-up, does not count.
func Arrive(ctx context.Context, t Target, queries []search.Query, due []time.Duration, d, deadline time.Duration, r *Result) error {
	defer SpareProcs()()
	askers := askers()
	a := newAsking(due, askers)
	defer a.clock.Stop()
	a.ask = func(i int, done func([]search.Hit, error)) error {
		return t.Submit(ctx, &queries[i%len(queries)], done)
	}
	begin, busy := time.Now(), cputime.Process()
	a.run(askers)
	if err := a.failed.Load(); err != nil {
		return *err
	}
	took := a.took
	r.busy(begin, busy)
	h, late := NewLatencies(), NewLatencies()
	last := d / 4
	for i, at := range due {
		switch {
		case at < d/4:
		case took[i] == Refused:
			r.Shed++
		default:
			Record(h, took[i])
			Record(late, a.asked[i]-at)
			last = max(last, at+took[i])
			if deadline > 0 && took[i] > deadline {
				r.Missed++
			}
		}
	}
	r.Throughput = float64(h.TotalCount()) / max(last-d/4, d).Seconds()
	r.Behind = last > d/4+d+d/8
	r.SetLatencies(h)
	r.Asked = float64(late.ValueAtPercentile(99)) / 1e3
	r.AskedAt, r.Took = a.asked, a.took
	return nil
}

// Alone asks one query after the other for d, each a pause after the previous one was
// answered.
func Alone(ctx context.Context, t Target, queries []search.Query, pause, d, deadline time.Duration, r *Result) error {
	began, used := time.Now(), cputime.Process()
	clock := NewClock()
	defer clock.Stop()
	h := NewLatencies()
	busy := time.Duration(0)
	var hits []search.Hit
	for n := 0; clock.Now() < d || n == 0; n++ {
		clock.Wait(clock.Now() + pause)
		start := clock.Now()
		var err error
		if hits, err = t.AppendHits(ctx, hits[:0], &queries[n%len(queries)]); err != nil {
			return err
		}
		took := clock.Now() - start
		Record(h, took)
		if deadline > 0 && took > deadline {
			r.Missed++
		}
		busy += took
	}
	r.busy(began, used)
	r.Throughput = float64(h.TotalCount()) / max(busy, 1).Seconds()
	r.SetLatencies(h)
	return nil
}

// Arrivals returns when queries are due. At least one is due in the last four fifths of
// d.
func Arrivals(rate float64, d time.Duration, seed uint64) []time.Duration {
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
