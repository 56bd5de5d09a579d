package hybrid

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
)

// load decides who answers submitted queries. The cores do while they keep up; the GPU takes only what waits for longer than
// it needs, and leastAhead. If what waits takes the cores longer than the GPU needs in a mostBehind of a behindTime, or longer
// than mostWait at once, the GPU answers all, until half as many arrive as then. Every retry the cores are tried again. Cores
// help a GPU that does not keep up if they add half. A GPU that answers fewer than the cores gets only what waits for longer.
type load struct {
	crowded atomic.Bool  // the GPU answers
	helps   atomic.Bool  // and so do cores
	ahead   atomic.Int64 // otherwise it takes what waits if that is more
	turn    atomic.Int64 // after so many answers a worker lets other goroutines run
	each    atomic.Int64 // nanoseconds of a core for a query, an average; none for one that is left to the GPU
	samples atomic.Int64 // that it was learned from

	mu     sync.Mutex
	begun  time.Duration // of the window
	came   int64         // queries that had arrived before it
	looked time.Duration
	hosts  float64       // goroutines that work for the GPU
	rate   float64       // arrivals a second
	stolen int64         // by the GPU, before the window
	behind float64       // the share of time in which the GPU took some, or would have answered sooner
	most   float64       // the rate when it became crowded
	until  time.Duration // crowded at most so long
	rested int           // workers
	slow   time.Duration // the GPU takes nothing until then, since it was much slower than the cores
}

const (
	mostBehind = 0.25 // of behindTime, which is far more than a stop of the host, of 10 ms, and what waits after it
	behindTime = 128 * time.Millisecond
	mostWait   = 16 * time.Millisecond
	leastRate  = 0.5 // of that when it became crowded
	retry      = 10 * time.Second

	window   = 2 * time.Millisecond
	rateTime = 32 * time.Millisecond // the average of rate: stops of the host should not change it much
	hostTime = 4 * time.Millisecond  // and of hosts
	averaged = 256                   // samples of each
	assumed  = 16                    // of these before the first, which are of cores that have just been woken
	outlier  = 4                     // times each: a core that was taken away meanwhile

	leastAhead = 2 * time.Millisecond // of work waits for the cores after each stop of the host

	// A worker lets others run after turnTime.
	turnTime = 64 * time.Microsecond
	// A GPU with less than muchSlower of the cores' rate gets nothing for retryAfter times what a batch took.
	muchSlower = 0.25
	retryAfter = 10
	leastRetry = 100 * time.Millisecond
)

func (l *load) init(workers int) {
	l.ahead.Store(int64(workers) * int64(leastAhead/builtInEach))
	l.turn.Store(1)
	l.each.Store(int64(builtInEach))
}

// join begins with a GPU.
func (l *load) join(m Mode) { l.crowded.Store(m == OnlyGPU) }

// leave ends with it, once x.gone is set: what is being decided meanwhile is undone.
func (l *load) leave(p *pool.Pool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.crowded.Store(false)
	l.helps.Store(false)
	l.rested = 0
	p.Rest(0)
}

// coresTake reports whether cores answer queries that either processor may.
func (l *load) coresTake() bool { return !l.crowded.Load() || l.helps.Load() }

// cores returns how many queries that wait are left to the cores.
func (l *load) cores() int64 {
	if l.crowded.Load() {
		return 0
	}
	return l.ahead.Load()
}

// core returns the average seconds of a core for a query.
func (l *load) core() float64 { return float64(l.each.Load()) / 1e9 }

// learn is told what a core took for a query, or for one of some on average.
func (l *load) learn(took time.Duration) {
	old := l.each.Load()
	n := min(l.samples.Add(1)+assumed, averaged)
	took = min(took, outlier*time.Duration(old))
	l.each.Store(max(old+(int64(took)-old)/n, 100))
}

// observe is told of batches that end, and now and then of answers of the cores.
func (x *Executor) observe(wait bool, now time.Duration) {
	l := &x.load
	if wait {
		l.mu.Lock()
	} else if !l.mu.TryLock() {
		return
	}
	defer l.mu.Unlock()
	l.look(x, now)
	took := now - l.begun
	if took < window || x.options.Mode != Parallel || x.gone.Load() {
		return
	}
	came := x.gate.came()
	arrived := came - l.came
	l.begun, l.came = now, came
	was := l.crowded.Load()
	l.decide(x, float64(arrived), took, now)
	if l.crowded.Load() != was { // each processor takes other queries than before
		defer x.call(0)
		defer x.refill()
	}
}

// look advances the average of hosts.
func (l *load) look(x *Executor, now time.Duration) {
	d := x.gpu.Load()
	if d == nil || d.working == nil {
		return
	}
	passed := float64(now-l.looked) / float64(hostTime)
	l.looked = now
	l.hosts += passed / (1 + passed) * (float64(d.working()) - l.hosts)
}

// decide says who answers, after a window in which some queries arrived.
func (l *load) decide(x *Executor, arrived float64, took, now time.Duration) {
	cores, each, waiting := float64(x.workers), l.core(), float64(x.either.len())
	l.rate += weight(took, rateTime) * (arrived/took.Seconds() - l.rate)
	latency := x.cost.gpu(0, now)
	stolen, behind := x.stolen[1].Load(), 0.
	if stolen > l.stolen || waiting*each > cores*latency.Seconds() {
		behind = 1
	}
	l.stolen = stolen
	l.behind += weight(took, behindTime) * (behind - l.behind)
	gpu, batch, known := x.meter.rate()
	worse := known && gpu*each < cores || now < l.slow
	switch {
	case !l.crowded.Load() && (l.behind > mostBehind || waiting*each > cores*mostWait.Seconds()) && !worse:
		l.crowded.Store(true)
		l.most, l.until = l.rate, now+retry
	case l.crowded.Load() && (worse || now > l.until || l.rate < l.most*leastRate):
		l.crowded.Store(false)
		l.behind = 0
	}
	ahead := cores / each * max(latency, leastAhead).Seconds()
	switch {
	case now < l.slow:
		ahead = math.MaxInt32
	case known && gpu*each < cores*muchSlower:
		l.slow = now + max(leastRetry, retryAfter*telling*batch)
		x.meter.reset()
	}
	l.ahead.Store(int64(ahead))
	free := max(cores*3/4-l.hosts, 0)
	crowded := l.crowded.Load()
	l.helps.Store(crowded && known && gpu < l.rate && free > gpu*each/2)
	l.turn.Store(max(int64(turnTime.Seconds()/each), 1))
	rest := 0
	if crowded {
		rest = min(x.workers/4+int(l.hosts+0.5), x.workers-1)
	}
	if rest != l.rested {
		l.rested = rest
		x.cpu.Rest(rest)
	}
}

// weight returns how much what lasted took counts in a moving average over a time.
func weight(took, over time.Duration) float64 { return took.Seconds() / (took + over).Seconds() }
