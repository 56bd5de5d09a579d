package hybrid

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
)

// toGPU gives the GPU its part of a group, in portions of a batch at most. Lanes of their own
// run them: a lane takes what waits, from several groups, so that batches are large
// whatever the groups.
func (x *Executor) toGPU(g *groupCall) {
	rest, batch := g.onGPU, x.options.Batch
	if len(rest) == 0 {
		close(g.answered)
		return
	}
	n := (len(rest) + batch - 1) / batch
	g.left.Store(int64(n))
	b := &x.bulk
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(rest) > 0 {
		k := min(len(rest), batch)
		b.waiting = append(b.waiting, portion{g, rest[:k]})
		rest = rest[k:]
	}
	for range min(n, x.options.Lanes-int(b.lanes.Load())) {
		b.lanes.Add(1)
		go x.bulkLane()
	}
}

// bulkLane runs batches until none waits.
func (x *Executor) bulkLane() {
	b := &x.bulk
	var taken []portion
	var queries []query.Query
	for {
		b.mu.Lock()
		taken = taken[:0]
		n := 0
		for _, p := range b.waiting {
			if n > 0 && n+len(p.at) > x.options.Batch {
				break
			}
			n += len(p.at)
			taken = append(taken, p)
		}
		left := copy(b.waiting, b.waiting[len(taken):])
		clear(b.waiting[left:])
		b.waiting = b.waiting[:left]
		if len(taken) == 0 {
			b.lanes.Add(-1)
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		queries = queries[:0]
		for _, p := range taken {
			for _, i := range p.at {
				q := p.g.queries[i]
				q.Trace = nil
				queries = append(queries, q)
			}
		}
		if !x.runPortions(taken, queries) {
			b.mu.Lock()
			b.lanes.Add(-1)
			b.mu.Unlock()
			return
		}
		clear(queries)
	}
}

// runPortions answers portions in a batch. It returns false if the GPU hung meanwhile: then
// the portions were given to the CPU.
func (x *Executor) runPortions(taken []portion, queries []query.Query) bool {
	var claimed atomic.Bool
	watch := time.AfterFunc(x.options.Hang, func() {
		if claimed.CompareAndSwap(false, true) {
			x.failPortions(taken, ErrHung)
		}
	})
	x.mu.Lock()
	x.policy.stats.Batches++
	x.mu.Unlock()
	results, err := x.gpu.Execute(context.Background(), queries)
	watch.Stop()
	if !claimed.CompareAndSwap(false, true) {
		return false
	}
	if err == nil && len(results) != len(queries) {
		err = errResults
	}
	if err != nil {
		x.failPortions(taken, err)
		return true
	}
	x.mu.Lock()
	x.faults = 0
	x.mu.Unlock()
	x.watch()
	for _, p := range taken {
		for k, i := range p.at {
			p.g.results[i] = results[k]
		}
		results = results[len(p.at):]
		p.finish(false)
	}
	return true
}

// finish marks a portion as answered or, with again, as one for the CPU.
func (p portion) finish(again bool) {
	g, now := p.g, p.g.x.now()
	g.mu.Lock()
	g.gpuEnded = max(g.gpuEnded, now)
	if again {
		g.again = append(g.again, p.at...)
	} else if g.after > 0 && now > g.begun+g.after {
		g.missed[1].Add(int64(len(p.at)))
	}
	g.mu.Unlock()
	if g.left.Add(-1) == 0 {
		close(g.answered)
	}
}

// failPortions gives portions to the CPU, and with them those that wait if the GPU is given
// up.
func (x *Executor) failPortions(taken []portion, err error) {
	x.mu.Lock()
	x.faults++
	x.lose(err)
	retired := x.policy.retired
	x.mu.Unlock()
	for _, p := range taken {
		p.finish(true)
	}
	if !retired {
		return
	}
	b := &x.bulk
	b.mu.Lock()
	rest := b.waiting
	b.waiting = nil
	b.mu.Unlock()
	for _, p := range rest {
		p.finish(true)
	}
	x.pump()
}

// lose stops using the GPU if err or the number of faults shows that it is lost. x.mu must be
// held.
func (x *Executor) lose(err error) {
	lost := errors.Is(err, gpuload.ErrDevice) || errors.Is(err, gpuload.ErrClosed) || errors.Is(err, ErrHung) || x.faults >= maxFaults
	if lost && x.why == nil {
		x.why = err
		x.policy.retire()
	}
}
