package hybrid

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/gpu"
)

// gate counts the queries in an Executor, and lets no more in than have room.
type gate struct {
	queue   int // most of them
	ended   atomic.Bool
	drained chan struct{} // receives a value when a part of an Executor that has ended has no more queries
	made    atomic.Int64  // jobs
	_       [64]byte
	parts   [parts]part

	waiters   atomic.Int64 // goroutines that wait for room
	room      sync.Mutex
	available *sync.Cond
	shed      atomic.Int64

	refused [len(gpu.Reasoned{})]atomic.Int64 // queries that only the CPU may answer, by why
}

func (g *gate) init(queue int) {
	g.queue, g.drained, g.available = queue, make(chan struct{}, 1), sync.NewCond(&g.room)
}

// part returns the counters for a job or a group.
func (g *gate) part() *part { return &g.parts[uint64(g.made.Add(1))%parts] }

// parts is how many counters stand for one that every query changes.
const parts = 32

// part counts the queries of some jobs: those in the Executor, and those that each processor has taken.
type part struct {
	held  atomic.Int64
	taken [2]atomic.Int64 // by the CPU, by the GPU
	came  atomic.Int64    // one at a time
	cores atomic.Int64    // given to the Pool, which has not answered them
	_     [88]byte
}

func (g *gate) held() (n int64) {
	for i := range g.parts {
		n += g.parts[i].held.Load()
	}
	return n
}

// onCores reports whether the Pool has queries of x to answer.
func (g *gate) onCores() bool {
	for i := range g.parts {
		if g.parts[i].cores.Load() > 0 {
			return true
		}
	}
	return false
}

// taken returns how many queries the CPU, by 0, or the GPU, by 1, has taken.
func (g *gate) taken(by int) (n int64) {
	for i := range g.parts {
		n += g.parts[i].taken[by].Load()
	}
	return n
}

// came returns how many queries have arrived, other than in groups.
func (g *gate) came() (n int64) {
	for i := range g.parts {
		n += g.parts[i].came.Load()
	}
	return n
}

// refuse counts a query that only the CPU may answer.
func (g *gate) refuse(why gpu.Reason) { g.refused[why].Add(1) }

// admit counts n queries in p, or fails.
func (g *gate) admit(p *part, n int) error {
	held := p.held.Add(int64(n))
	switch most := int64(g.queue); {
	case g.ended.Load():
		g.leave(p, n)
		return ErrClosed
	case held > most/parts && g.held() > most:
		g.leave(p, n)
		g.shed.Add(int64(n))
		return ErrOverload
	}
	return nil
}

// await is admit that waits for room.
func (g *gate) await(ctx context.Context, p *part, n int) error {
	stop := context.AfterFunc(ctx, func() {
		g.room.Lock()
		defer g.room.Unlock()
		g.available.Broadcast()
	})
	defer stop()
	g.room.Lock()
	defer g.room.Unlock()
	g.waiters.Add(1)
	defer g.waiters.Add(-1)
	for {
		p.held.Add(int64(n))
		err := ctx.Err()
		if g.ended.Load() {
			err = ErrClosed
		}
		if held := g.held(); err == nil && (held <= int64(g.queue) || held == int64(n)) {
			return nil
		}
		g.uncount(p, n)
		if err != nil {
			return err
		}
		g.available.Wait()
	}
}

// leave undoes admit and await.
func (g *gate) leave(p *part, n int) {
	g.uncount(p, n)
	if g.waiters.Load() > 0 {
		g.room.Lock()
		g.available.Broadcast()
		g.room.Unlock()
	}
}

func (g *gate) uncount(p *part, n int) {
	if p.held.Add(-int64(n)) == 0 && g.ended.Load() {
		select {
		case g.drained <- struct{}{}:
		default:
		}
	}
}
