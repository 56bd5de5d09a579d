package hybrid

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/query"
)

const (
	// leastGroup is how many queries Execute divides as a group; fewer go through the
	// queues. mostGroup is how many it takes at a time.
	leastGroup, mostGroup = 64, 1 << 14
	// atOnce and weighedAtOnce are how many queries a goroutine takes at a time.
	atOnce, weighedAtOnce = 4, 64
)

// bulk is the state of an Executor for groups.
type bulk struct {
	balance balance
	calls   atomic.Int64 // groups in progress
	busy    atomic.Int64 // goroutines that work on the CPU's parts

	lanes   atomic.Int64 // that run; changed with mu held
	mu      sync.Mutex
	waiting []portion
}

// portion is a part of a group for the GPU.
type portion struct {
	g  *groupCall
	at []int32 // queries of the group
}

// groupCall is a group of queries that Execute divides.
type groupCall struct {
	x       *Executor
	ctx     context.Context
	queries []query.Query
	results []query.Result
	first   int // of the queries, in the call of Execute
	begun   time.Duration
	after   time.Duration // deadline after begun; 0: none
	err     atomic.Pointer[error]

	bins     []uint8 // pinnedBin or where the query lies
	weights  weights
	onCPU    []int32
	onGPU    []int32
	left     atomic.Int64 // portions without answers
	answered chan struct{}
	mu       sync.Mutex
	again    []int32       // the GPU failed to answer
	gpuEnded time.Duration // its last portion
	missed   [2]atomic.Int64
}

const pinnedBin = 255

// groupSize returns how many queries Execute takes now, at most most.
func (x *Executor) groupSize(most int) int {
	if x.gpu == nil || x.options.Mode != Parallel {
		return most
	}
	x.mu.Lock()
	retired := x.policy.retired
	x.mu.Unlock()
	if retired {
		return most
	}
	return min(most, x.bulk.balance.size())
}

// executeGroup answers a group. Room for it must have been made.
func (x *Executor) executeGroup(ctx context.Context, queries []query.Query, results []query.Result, first int) error {
	g := &groupCall{x: x, ctx: ctx, queries: queries, results: results, first: first, begun: x.now(), after: x.options.Deadline,
		bins: make([]uint8, len(queries)), answered: make(chan struct{})}
	if at, ok := ctx.Deadline(); ok {
		if left := max(time.Until(at), 1); g.after == 0 || left < g.after {
			g.after = left
		}
	}
	x.bulk.calls.Add(1)
	defer x.bulk.calls.Add(-1)
	g.weigh()
	if g.err.Load() == nil {
		predicted := g.divide()
		start := x.now()
		x.toGPU(g)
		g.answer(g.onCPU)
		ended := x.now()
		<-g.answered
		g.answer(g.again)
		if g.err.Load() == nil && len(g.again) == 0 && x.options.Mode == Parallel {
			took := [2]time.Duration{ended - start, g.gpuEnded - start}
			x.bulk.balance.learn(predicted, took, len(g.onGPU), int(x.bulk.calls.Load()), x.now())
		}
		x.tally(g)
	}
	if err := g.err.Load(); err != nil {
		return *err
	}
	return nil
}

// tally adds a group to the counters.
func (x *Executor) tally(g *groupCall) {
	for i := range g.missed {
		x.missed[i].Add(g.missed[i].Load())
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	s := &x.policy.stats
	s.CPU.Queries += int64(len(g.onCPU) + len(g.again))
	s.GPU.Queries += int64(len(g.onGPU))
	s.Grouped += int64(len(g.queries))
	x.again += int64(len(g.again))
}

func (g *groupCall) fail(i int32, err error) {
	err = fmt.Errorf("query %d: %w", g.first+int(i), err)
	g.err.CompareAndSwap(nil, &err)
}

// spread calls work for ranges of n things, on the calling goroutine and on others for which
// there are cores.
func (x *Executor) spread(n, each int, work func(lo, hi int)) {
	var next atomic.Int64
	run := func() {
		last := x.now()
		for {
			lo := int(next.Add(int64(each))) - each
			if lo >= n {
				return
			}
			work(lo, min(lo+each, n))
			if x.bulk.lanes.Load() > 0 {
				if now := x.now(); now-last > turn {
					runtime.Gosched() // the goroutines that serve the GPU need the cores too
					last = x.now()
				}
			}
		}
	}
	b := &x.bulk.busy
	b.Add(1)
	var helpers sync.WaitGroup
	for range min(x.cpu.Workers(), runtime.GOMAXPROCS(0), n/(4*each)) - 1 {
		if int(b.Load()) >= x.cpu.Workers() {
			break
		}
		b.Add(1)
		helpers.Go(func() {
			defer b.Add(-1)
			run()
		})
	}
	run()
	helpers.Wait()
	b.Add(-1)
}

// weigh predicts the costs of the queries.
func (g *groupCall) weigh() {
	x := g.x
	workers := float64(x.cpu.Workers())
	costs := x.gpu != nil && x.options.Mode == Parallel
	var mu sync.Mutex
	x.spread(len(g.queries), weighedAtOnce, func(lo, hi int) {
		var w weights
		var room [maxTerms]uint64
		lengths := room[:0]
		for i := lo; i < hi; i++ {
			q := &g.queries[i]
			err := q.Check()
			if err == nil && costs {
				lengths, err = x.cpu.AppendLengths(lengths[:0], q.Terms)
			}
			if err != nil {
				g.fail(int32(i), err)
				return
			}
			var c Cost
			if costs {
				f := FeaturesOf(q, lengths)
				c = x.options.Model.Predict(&f)
			}
			if x.gpu == nil || !supported(q) {
				g.bins[i] = pinnedBin
				w.pinned += float64(c.CPU)
				continue
			}
			b := binOf(c, workers) // without costs any will do
			g.bins[i] = b
			w.cpu[b] += float64(c.CPU)
			w.gpu[b] += float64(c.GPU)
			w.n[b]++
		}
		mu.Lock()
		defer mu.Unlock()
		g.weights.add(&w)
	})
}

// divide decides which processor answers which query.
func (g *groupCall) divide() (predicted [2]float64) {
	x := g.x
	x.mu.Lock()
	retired := x.policy.retired
	x.mu.Unlock()
	c := cut{bin: bins} // nothing for the GPU
	switch {
	case retired || x.options.Mode == OnlyCPU:
	case x.options.Mode == OnlyGPU:
		c.bin = -1
	default:
		c = x.bulk.balance.divide(&g.weights, x.now(), int(x.bulk.calls.Load()), x.cpu.Workers())
	}
	return g.take(c)
}

// take sets onCPU and onGPU as the cut says, and returns what the two are predicted to take.
func (g *groupCall) take(c cut) (predicted [2]float64) {
	w, sum := &g.weights, c.surplus
	for i, b := range g.bins {
		gpu := b != pinnedBin && int(b) > c.bin
		if int(b) == c.bin {
			sum += c.part
			if gpu = sum >= 1; gpu {
				sum--
			}
		}
		if gpu {
			g.onGPU = append(g.onGPU, int32(i))
		} else {
			g.onCPU = append(g.onCPU, int32(i))
		}
	}
	predicted[0] = w.pinned
	for i := range w.n {
		part := 0.0
		if i > c.bin {
			part = 1
		} else if i == c.bin && w.n[i] > 0 {
			part = float64(c.of(w.n[i])) / float64(w.n[i])
		}
		predicted[0] += (1 - part) * w.cpu[i]
		predicted[1] += part * w.gpu[i]
	}
	return predicted
}

// answer answers queries of the group on the CPU.
func (g *groupCall) answer(at []int32) {
	if len(at) == 0 {
		return
	}
	x, s := g.x, g.x.cpu.Searcher()
	x.spread(len(at), atOnce, func(lo, hi int) {
		for _, i := range at[lo:hi] {
			if g.err.Load() != nil {
				return
			}
			q := &g.queries[i]
			if q.Trace != nil {
				silent := *q
				silent.Trace = nil
				q = &silent
			}
			hits, err := s.AppendHits(g.ctx, nil, q)
			if err != nil {
				g.fail(i, err)
				return
			}
			g.results[i].Hits = hits
		}
		if g.after > 0 && x.now() > g.begun+g.after {
			g.missed[0].Add(int64(hi - lo))
		}
	})
}
