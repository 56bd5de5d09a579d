package check

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/segment"
)

// verifier is one run of Segment.
type verifier struct {
	ctx   context.Context
	s     *segment.Segment
	given *segment.Segment // s, with values that were changed in place
	o     Options
	total int64 // work, of which done is done
	done  atomic.Int64
	// perPosting is the work for a posting.
	perPosting int64
	fields     []fieldLengths
	tokens     []atomic.Uint64 // of each field

	mu    sync.Mutex
	found []Damage // by the current check
	first error
}

// Each calls f for ranges of at most grain of the numbers below n, on several goroutines.
// It returns the error of the first range that has one; ranges behind it may be left out.
func (v *verifier) Each(n, grain int, f func(lo, hi int) error) error {
	ranges := (n + grain - 1) / grain
	threads := min(max(v.o.Threads, 1), ranges)
	var next, failed atomic.Int64
	failed.Store(int64(ranges))
	errs := make([]error, threads) // of each goroutine's last range
	at := make([]int64, threads)
	work := func(t int) func() error {
		return func() error {
			for {
				r := next.Add(1) - 1
				if r >= failed.Load() {
					return nil
				}
				at[t] = r
				lo := int(r) * grain
				if err := f(lo, min(lo+grain, n)); err != nil {
					return err
				}
			}
		}
	}
	run := func(t int) {
		if errs[t] = v.guard(work(t)); errs[t] == nil {
			return
		}
		for old := failed.Load(); at[t] < old && !failed.CompareAndSwap(old, at[t]); old = failed.Load() {
		}
	}
	if threads == 1 {
		run(0)
		return errs[0]
	}
	var wg sync.WaitGroup
	for t := range threads {
		wg.Go(func() { run(t) })
	}
	wg.Wait()
	var first error
	least := int64(ranges)
	for t, err := range errs {
		if err != nil && at[t] < least {
			first, least = err, at[t]
		}
	}
	return first
}

func (v *verifier) guard(work func() error) error {
	if v.o.Guard == nil {
		return work()
	}
	return v.o.Guard(work)
}

// Step reports n more units done and returns the context's error.
func (v *verifier) Step(n int64) error {
	v.done.Add(n)
	if v.o.Progress != nil {
		v.mu.Lock()
		v.o.Progress(min(v.done.Load(), v.total), v.total)
		v.mu.Unlock()
	}
	return v.ctx.Err()
}
