package idxbench

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/query/pool"
)

// batchSample is a batch that was alone on the GPU, and what its queries take.
type batchSample struct {
	mode query.Mode
	load hybrid.Load
	took time.Duration
}

// batches measures batches of different queries of a mode, one at a time and each once: the same
// queries again would find the caches of host and device warm. Small ones go through the queues, which
// hand in the queries of the next batch and hand out the answers of the last one meanwhile.
func (c *calibrator) batches(ctx context.Context, mode string) error {
	var all []*recorded
	for _, some := range [][]recorded{c.train, c.test} {
		for i := range some {
			if some[i].mode == mode {
				all = append(all, &some[i])
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	one, err := c.following(ctx, all, 1)
	if err != nil {
		return err
	}
	var extra times
	for i := range one {
		extra = append(extra, max(one[i].took-one[i].load[one[i].mode].Longest.Alone, 0))
	}
	c.going = append(c.going, extra...)
	extra.sort()
	at := 0
	for n := 2; n <= 4096 && n <= 16*len(all); n *= 2 {
		if n <= mostFollowing {
			some, err := c.following(ctx, all, n)
			if err != nil {
				return err
			}
			for _, s := range some {
				s.took -= extra.at(0.5) // Model.Lanes has it
				c.lone = append(c.lone, s)
			}
			continue
		}
		for range batchesOfSize * c.flags.repeat {
			s, some := batchOf(all, at, n)
			at += n
			begin := time.Now()
			if _, err := c.gpu.x.Execute(ctx, some); err != nil {
				return err
			}
			s.took = time.Since(begin)
			c.lone = append(c.lone, s)
		}
	}
	return nil
}

// batchOf returns n of all queries, from one on.
func batchOf(all []*recorded, at, n int) (s batchSample, some []query.Query) {
	for i := range n {
		r := all[(at+i)%len(all)]
		some, s.mode = append(some, r.query), r.query.Mode
		s.load.Add(s.mode, r.record.Cost)
	}
	return s, some
}

// following measures batches of n queries that an Executor asks the GPU one right after the other: the
// queries of each come while the last one is answered.
func (c *calibrator) following(ctx context.Context, all []*recorded, n int) (out []batchSample, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), c.flags.workers+1))) // await spins
	p, err := pool.New(c.searcher, pool.Options{Workers: c.flags.workers})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	x, err := hybrid.New(p, c.gpu.x, hybrid.Options{Mode: hybrid.OnlyGPU})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	var done [2]struct { // of the last two batches
		left, at atomic.Int64 // answers to come; when the last one came
	}
	var failed atomic.Pointer[error]
	begin, last := time.Now(), int64(0)
	await := func(i int) {
		for since := time.Now(); done[i].left.Load() > 0; {
			if time.Since(since) > 10*time.Millisecond {
				runtime.Gosched()
			}
		}
	}
	for i := range firstFollowing + batchesOfSize*c.flags.repeat {
		s, some := batchOf(all, i*n, n)
		d, before := &done[i%2], &done[1-i%2]
		d.left.Store(int64(n))
		for k := range some {
			if err := x.Submit(ctx, &some[k], func(_ []query.Hit, err error) {
				if err != nil {
					failed.CompareAndSwap(nil, &err)
				}
				d.at.Store(int64(time.Since(begin)))
				d.left.Add(-1)
			}); err != nil {
				return nil, err
			}
		}
		asked := int64(time.Since(begin))
		await(1 - i%2)
		if k := len(out) - 1; k >= 0 && out[k].took == 0 { // the batch before
			out[k].took = time.Duration(before.at.Load() - last)
		}
		if last = before.at.Load(); i >= firstFollowing && asked < last { // they are the next batch
			out = append(out, s)
		}
	}
	await(0)
	await(1)
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	if err := x.Stats().Retired; err != nil { // the CPU has answered since
		return nil, err
	}
	return slices.DeleteFunc(out, func(s batchSample) bool { return s.took == 0 }), nil
}

const (
	mostFollowing  = 32 // queries of a batch that can be asked while the last one is answered
	firstFollowing = 8  // batches that do not count: the first ones are smaller
)

// beside measures small batches that many goroutines ask for: what is left of a batch's time
// when the rest overlaps with others.
func (c *calibrator) beside(ctx context.Context, queries []query.Query) error {
	const goroutines, size = 2 * submitters, 8
	var batches atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, goroutines)
	begin, work := time.Now(), time.Duration(0)
	for i := range errs {
		group.Go(func() {
			some := make([]query.Query, size)
			for at := i * len(queries) / goroutines; errs[i] == nil && time.Since(begin) < 100*time.Millisecond; at += size {
				for k := range some {
					some[k] = queries[(at+k)%len(queries)]
				}
				_, errs[i] = c.gpu.x.Execute(ctx, some)
				batches.Add(1)
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	n := 0
	for _, all := range [][]recorded{c.train, c.test} {
		for i := range all {
			if all[i].record.Mode == queries[0].Mode {
				work += all[i].record.Cost.GPU
				n++
			}
		}
	}
	each := time.Since(begin)/time.Duration(batches.Load()) - size*work/time.Duration(max(n, 1))
	if each = max(each, 0); c.launch == 0 || each < c.launch {
		c.launch = each
	}
	return nil
}

// batchesOfSize is how many batches of each size and mode are measured, --repeat times.
const batchesOfSize = 8

// batch asks the GPU n copies of a query. It returns how long that took, and how long the
// device was busy.
func (c *calibrator) batch(ctx context.Context, q *query.Query, n int) (took, busy time.Duration, err error) {
	queries := slices.Repeat([]query.Query{*q}, n)
	var all times
	took, err = c.median(func() error {
		before := c.gpu.x.Stats().Busy
		_, err := c.gpu.x.Execute(ctx, queries)
		all = append(all, c.gpu.x.Stats().Busy-before)
		return err
	})
	all.sort()
	return took, all[len(all)/2], err
}

// submitters is how many goroutines ask for batches at the same time, as a scheduler does.
const submitters = 4

// hosts measures what the cores do for large batches: of queries with few terms, and of
// those with many. It also corrects the times on the device: copies of a query find their
// lists in its caches, different queries less often.
func (c *calibrator) hosts(ctx context.Context, mode string, queries []query.Query) error {
	byTerms := slices.Clone(queries)
	slices.SortStableFunc(byTerms, func(a, b query.Query) int { return len(a.RawTerms) - len(b.RawTerms) })
	half := len(byTerms) / 2
	device := 0.0
	for _, some := range [][]query.Query{byTerms[:half], byTerms[half:]} {
		if len(some) == 0 {
			continue
		}
		terms := 0
		for i := range some {
			terms += len(some[i].RawTerms)
		}
		var rounds atomic.Int64
		begin, used, busy := time.Now(), cputime.Process(), c.gpu.x.Stats().Busy
		var group sync.WaitGroup
		errs := make([]error, submitters)
		for i := range errs {
			group.Go(func() {
				for errs[i] == nil {
					_, errs[i] = c.gpu.x.Execute(ctx, some)
					if rounds.Add(1) >= submitters && time.Since(begin) > 200*time.Millisecond {
						return
					}
				}
			})
		}
		group.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		took := time.Since(begin)
		if busy = c.gpu.x.Stats().Busy - busy; busy > 0 {
			took = min(took, busy)
		}
		device += float64(took) / float64(rounds.Load())
		c.host = append(c.host, hostSample{float64(terms) / float64(len(some)), (cputime.Process() - used) / time.Duration(int(rounds.Load())*len(some))})
	}
	c.correct(mode, device)
	return nil
}

// correct makes the times on the device of a mode's queries add up to what all of them
// took.
func (c *calibrator) correct(mode string, device float64) {
	sum := 0.0
	each := func(f func(r *recorded)) {
		for _, all := range [][]recorded{c.train, c.test} {
			for i := range all {
				if all[i].mode == mode {
					f(&all[i])
				}
			}
		}
	}
	each(func(r *recorded) { sum += float64(r.record.Cost.GPU) })
	if sum == 0 {
		return
	}
	each(func(r *recorded) {
		r.record.Cost.GPU = max(time.Duration(float64(r.record.Cost.GPU)*device/sum), 1)
	})
}
