package hybrid

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/trusted"
)

// load decides who answers submitted queries. The cores do while they are busy for less than mostBusy of the time. Then
// the GPU answers all, until the cores could do so in leastBusy of their time; cores that are free meanwhile help if they
// add a tenth. A GPU that answers fewer than the cores gets only what waits for longer than it takes.
type load struct {
	crowded atomic.Bool  // the GPU answers all
	helps   atomic.Bool  // and so do cores
	ahead   atomic.Int64 // otherwise it takes what waits if that is more
	turn    atomic.Int64 // after so many answers a worker lets other goroutines run
	each    atomic.Int64 // nanoseconds of a core for a query, an average

	mu         sync.Mutex
	begun      time.Duration // of the window
	fromGPU    int64         // answers of the GPU in the window
	told       int64         // of the cores, before it
	busySum, n int           // of workers that were busy when somebody looked, and how often that was
	looked     time.Duration

	hosts  float64       // goroutines that work for the GPU
	busy   float64       // workers
	rate   float64       // answers a second
	until  time.Duration // crowded at least so long
	rested int           // workers
	slow   time.Duration // the GPU takes nothing until then, since it was much slower than the cores
}

const (
	mostBusy, leastBusy = 0.8, 0.6

	window   = 2 * time.Millisecond
	leastFor = 16 * time.Millisecond // crowded
	hostTime = 4 * time.Millisecond  // the average of hosts

	leastAhead = time.Millisecond // of work waits for the cores after each stop of the host

	// A worker lets others run after turnTime.
	turnTime = 64 * time.Microsecond
	// A GPU with less than muchSlower of the cores' rate gets nothing for retryAfter times what a batch took.
	muchSlower = 0.25
	retryAfter = 10
	leastRetry = 100 * time.Millisecond
)

func (l *load) init() {
	l.ahead.Store(64)
	l.turn.Store(1)
	l.each.Store(int64(builtInEach))
}

// join begins with a GPU.
func (l *load) join(m Mode) { l.crowded.Store(m == OnlyGPU) }

// leave ends with it.
func (l *load) leave() {
	l.crowded.Store(false)
	l.helps.Store(false)
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

// learn is told what a core took for a query on average of some.
func (l *load) learn(took time.Duration) {
	old := l.each.Load()
	l.each.Store(max(old+(min(int64(took), 4*old)-old)/8, 100)) // a core may have been taken away for long
}

// observe is told of a batch of n queries, and now and then of answers of the cores.
func (x *Executor) observe(n int, now time.Duration) {
	l := &x.load
	if n > 0 {
		l.mu.Lock()
	} else if !l.mu.TryLock() {
		return
	}
	defer l.mu.Unlock()
	l.fromGPU += int64(n)
	l.look(x, now)
	l.n++
	l.busySum += x.cpu.Busy(trusted.Caller{})
	took := now - l.begun
	if took < window || x.options.Mode != Parallel || x.gone.Load() {
		return
	}
	all := x.taken(0)
	rate, busy := float64(l.fromGPU+all-l.told)/took.Seconds(), float64(l.busySum)/float64(l.n)
	l.begun, l.fromGPU, l.told, l.busySum, l.n = now, 0, all, 0, 0
	if took > 10*window { // nothing to do
		l.busy, l.rate = 0, 0
		return
	}
	l.rate += (rate - l.rate) / 4
	was := l.crowded.Load()
	l.decide(x, rate, busy, took, now)
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

// decide says who answers, after a window with some rate and busy workers.
func (l *load) decide(x *Executor, rate, busy float64, took, now time.Duration) {
	cores := float64(x.workers)
	gpu, batch, known := x.meter.rate()
	if !l.crowded.Load() {
		l.busy += (busy - l.busy) / 32
		if rate*took.Seconds() > 100 {
			l.learn(time.Duration(busy / rate * 1e9))
		}
	}
	each := l.core()
	worse := known && gpu*each < cores || now < l.slow
	switch {
	case !l.crowded.Load() && l.busy > cores*mostBusy && !worse:
		l.crowded.Store(true)
		l.until = now + leastFor
	case l.crowded.Load() && (worse || now > l.until && l.rate*each < cores*leastBusy):
		l.crowded.Store(false)
		l.busy = 0
	}
	ahead := cores / each * max(x.cost.gpu(0, now), leastAhead).Seconds()
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
	l.helps.Store(crowded && float64(x.either.len()) > l.rate/100 && free > l.rate*each/10 && l.hosts < cores/4)
	l.turn.Store(max(int64(turnTime.Seconds()/each), 1))
	rest := 0
	if crowded {
		rest = min(x.workers/4+int(l.hosts+0.5), x.workers-1)
	}
	if rest != l.rested {
		l.rested = rest
		x.rest(rest)
	}
}

// rest makes workers leave their cores to what serves the GPU.
func (x *Executor) rest(n int) { x.cpu.Rest(trusted.Caller{}, n) }
