package hybrid

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
)

// lanes are the batches of submitted queries that the GPU works on, up to Options.Lanes, a goroutine each.
type lanes struct {
	_       [64]byte
	busy    atomic.Int64
	serving atomic.Int64 // these, but for those being prepared, and batches of groups
	_       [64]byte
	memory  sync.Pool // of *batch
}

// worthMany is how many queries must wait for another batch to join two or more.
const worthMany = 128

// worth returns how many queries must wait for another batch to join busy ones: fewer make each slower, and can
// wait for one of these.
func worth(busy int64) int64 {
	switch busy {
	case 0:
		return 1
	case 1:
		return worthMany / 4
	}
	return worthMany
}

// forGPU returns how many queries wait that the GPU is to take.
func (x *Executor) forGPU() int64 {
	n := x.suited.len()
	if !x.load.coresTake() {
		n += x.either.len()
	}
	return n
}

// call begins a batch if what waits is worth one. k is how many wait in the shard that has got one more, or 0.
func (x *Executor) call(k int) {
	l := &x.lanes
	for {
		busy := l.busy.Load()
		if busy >= int64(x.options.Lanes) || x.gone.Load() ||
			busy > 0 && k > 0 && (k%step != 0 || x.suited.atLeast()+x.either.atLeast() < worth(busy)) || x.forGPU() < worth(busy) {
			return // a batch that ends calls, too
		}
		if l.busy.CompareAndSwap(busy, busy+1) {
			x.running.Go(x.lane)
			return
		}
	}
}

// lane answers a batch.
func (x *Executor) lane() {
	b, ok := x.lanes.memory.Get().(*batch)
	if !ok {
		b = new(batch)
	}
	if b.jobs = x.take(b.jobs[:0]); len(b.jobs) == 0 { // others have taken them
		x.lanes.busy.Add(-1)
		x.call(0)
	} else if !b.run(x) {
		return // b stays with a GPU that hangs
	}
	clear(b.jobs)
	x.lanes.memory.Put(b)
}

// take moves queries for a batch to dst.
func (x *Executor) take(dst []*job) []*job {
	now := x.now()
	dst = x.suited.take(dst, x.options.Batch, now)
	if !x.load.coresTake() {
		dst = x.either.take(dst, x.options.Batch-len(dst), now)
	}
	return dst
}

// batch is what a lane gives to the GPU at a time.
type batch struct {
	jobs  []*job
	asked copies
}

// run answers a batch. It returns false if the GPU was given up meanwhile, and may still use b.
func (b *batch) run(x *Executor) bool {
	b.asked.reset()
	n := 0
	for _, j := range b.jobs {
		j.part.taken[1].Add(1)
		if err := j.ctx.Err(); err != nil {
			j.deliver(1, nil, 0, err)
			continue
		}
		b.jobs[n] = j
		n++
		b.asked.add(&j.q)
		b.asked.queries[n-1].Total = j.counts
	}
	b.jobs = b.jobs[:n]
	if n == 0 {
		x.lanes.busy.Add(-1)
		x.call(0)
		x.refill()
		return true
	}
	begun := x.now()
	return x.ask(&b.asked, n == x.options.Batch, func(results []search.Result, err error) {
		now := x.now()
		x.lanes.busy.Add(-1)
		x.call(0)
		if err != nil {
			x.toCores(b.jobs)
			x.refill()
			return
		}
		n := answered(b.jobs, results)
		if x.toCores(b.jobs[n:]); n > 0 {
			x.cost.learnGPU(b.jobs[:n], now-begun, now)
		}
		for i, j := range b.jobs[:n] {
			j.deliver(1, append([]search.Hit(nil), results[i].Hits...), results[i].Total, nil) // they lie in memory for the next answers
		}
		x.observe(true, now)
		x.refill() // what found no room in a Pool that answered some of these, or left all it had to the GPU
	})
}

// ask lets the GPU answer c and calls end once: with results, which are valid until then, or an error. It returns false
// if it has called end because the GPU hangs, which may still use c. full says that the GPU could have got more.
func (x *Executor) ask(c *copies, full bool, end func(results []search.Result, err error)) bool {
	x.lanes.serving.Add(1)
	x.meter.begin(x.now())
	var claimed atomic.Bool
	watch := time.AfterFunc(x.options.Hang, func() {
		if claimed.CompareAndSwap(false, true) {
			x.lanes.serving.Add(-1)
			x.fault(ErrHung)
			end(nil, ErrHung)
		}
	})
	results, err := c.answer(x.gpu.Load().Executor)
	watch.Stop()
	if !claimed.CompareAndSwap(false, true) {
		return false
	}
	x.lanes.serving.Add(-1)
	x.batches.Add(1)
	if err == nil && len(results) != len(c.queries) {
		err = errResults
	}
	n := len(results)
	if err != nil || !full || anyLeft(results) { // it could have answered more
		n = 0
	}
	x.meter.end(n, x.now())
	x.fault(err)
	x.watch()
	end(results, err)
	return true
}

var errResults = errors.New("hybrid: the GPU's executor returned another number of results than queries")

// maxFaults is how many batches in a row may fail before the GPU is given up, whatever
// the reason.
const maxFaults = 16

// fault gives the GPU up if the error of a batch, or of many in a row, says so.
func (x *Executor) fault(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err == nil {
		x.faults = 0
		return
	}
	if x.faults++; errors.Is(err, gpu.ErrDevice) || errors.Is(err, gpu.ErrClosed) || errors.Is(err, ErrHung) || x.faults >= maxFaults {
		x.retire(err)
	}
}

// watch stops using a GPU whose executor has given it up and answers on the CPU since.
func (x *Executor) watch() {
	if g, ok := x.gpu.Load().Executor.(interface{ Err() error }); ok {
		if err := g.Err(); err != nil {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.retire(err)
		}
	}
}

// retire stops using the GPU. x.mu must be held.
func (x *Executor) retire(why error) {
	if x.why != nil {
		return
	}
	x.why = why
	x.gone.Store(true)
	x.load.leave(x.cpu)
	x.groups.plan(false, x.workers)
	go x.refill() // what waits for the GPU is for the cores
}
