package hybrid

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/query"
)

// batch is what the GPU answers at a time.
type batch struct {
	entries []*entry
	asked   copies
	work    time.Duration // predicted
}

var batches = sync.Pool{New: func() any { return new(batch) }}

// maxFaults is how many batches in a row may fail before the GPU is given up, whatever
// the reason.
const maxFaults = 16

// lane runs batches, one after the other.
func (x *Executor) lane() {
	for b := range x.lanes {
		if !x.run(b) {
			return
		}
	}
}

// run answers a batch. It returns false if the GPU was given up meanwhile.
func (x *Executor) run(b *batch) bool {
	b.asked.reset()
	gone := 0
	for i, e := range b.entries {
		if err := e.job.ctx.Err(); err != nil {
			b.entries[i] = nil
			gone++
			x.deliver(e.job, 1, nil, err)
			x.leave(1)
			continue
		}
		b.entries[i-gone] = e
		b.asked.add(&e.job.q)
	}
	taken := len(b.entries)
	b.entries = b.entries[:taken-gone]
	var results []query.Result
	if len(b.entries) > 0 {
		var err error
		var claimed atomic.Bool
		watch := time.AfterFunc(x.options.Hang, func() {
			if claimed.CompareAndSwap(false, true) {
				x.fail(b, taken, ErrHung)
			}
		})
		results, err = b.asked.answer(x.gpu.Load().Executor)
		watch.Stop()
		if !claimed.CompareAndSwap(false, true) {
			return false
		}
		if err == nil && len(results) != len(b.entries) {
			err = errResults
		}
		if err != nil {
			x.fail(b, taken, err)
			return true
		}
	}
	x.finish(b, taken)
	x.watch()
	x.pump()
	for i, e := range b.entries {
		x.deliver(e.job, 1, append([]query.Hit(nil), results[i].Hits...), nil) // they lie in memory for the next answers
		x.leave(1)
	}
	clear(b.entries)
	batches.Put(b)
	return true
}

var errResults = errors.New("hybrid: the GPU's executor returned another number of results than queries")

// finish tells the policy that a batch of n queries is done.
func (x *Executor) finish(b *batch, n int) {
	x.serving.Add(-1)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.faults = 0
	x.policy.finishGPU(n, b.work, x.now())
}

// watch stops using a GPU whose executor has given it up and answers on the CPU since.
func (x *Executor) watch() {
	g, ok := x.gpu.Load().Executor.(interface{ Err() error })
	if !ok {
		return
	}
	if err := g.Err(); err != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.retire(err)
	}
}

// retire stops using the GPU. x.mu must be held.
func (x *Executor) retire(why error) {
	if x.why == nil {
		x.why = why
		x.gone.Store(true)
		x.policy.retire()
		x.spare()
	}
}

// fail gives the queries of a batch of n to the CPU, and gives the GPU up if err says so.
func (x *Executor) fail(b *batch, n int, err error) {
	x.serving.Add(-1)
	x.mu.Lock()
	p := x.policy
	p.finishGPU(n, b.work, x.now())
	x.faults++
	x.lose(err)
	for _, e := range b.entries {
		x.again++
		p.again(e)
	}
	x.mu.Unlock()
	x.pump()
}
