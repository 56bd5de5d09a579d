package hybrid

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
)

// load decides who answers submitted queries that either processor may: the cores, until some have waited for longestWait without a break;
// then the GPU, all of them, until fewer than half as many arrive as the cores answered then. A GPU that has answered fewer than the cores
// did, in trialTime, or whose turn was shorter than shortTurn, is left alone for a while.
type load struct {
	crowded atomic.Bool  // the GPU answers
	turn    atomic.Int64 // after so many answers a worker lets other goroutines run
	each    atomic.Int64 // nanoseconds of a core for a query, an average; none for one that is left to the GPU
	samples atomic.Int64 // that it was learned from

	mu       sync.Mutex
	begun    time.Duration // of the window
	came     int64         // queries that had arrived before it
	looked   time.Duration
	hosts    float64       // goroutines that work for the GPU
	rate     float64       // arrivals a second
	since    time.Duration // when queries began to wait; 0: none does
	answered int64         // queries that the processor that answers had answered then
	reach    float64       // what the cores answered a second when it became crowded
	changed  time.Duration // when it became crowded
	until    time.Duration // the GPU gets nothing before
	rested   int           // workers
}

const (
	longestWait = 30 * time.Millisecond // after a stop of the host, of 10 ms, cores that are half busy have answered sooner what has arrived
	trialTime   = time.Second
	retry       = 10 * time.Second
	leastRate   = 0.5 // of reach
	shortTurn   = 250 * time.Millisecond
	shortRetry  = time.Second

	window   = 2 * time.Millisecond
	rateTime = 32 * time.Millisecond // the average of rate: stops of the host should not change it much
	hostTime = 4 * time.Millisecond  // and of hosts
	averaged = 256                   // samples of each
	assumed  = 16                    // of these before the first, which are of cores that have just been woken
	outlier  = 4                     // times each: a core that was taken away meanwhile

	// A worker lets others run after turnTime.
	turnTime = 64 * time.Microsecond
	// What a GPU gets nothing of groups for, in times what a batch took, and at least.
	retryAfter = 10
	leastRetry = 100 * time.Millisecond
)

func (l *load) init() {
	l.turn.Store(1)
	l.each.Store(int64(builtInEach))
}

// join begins with a GPU.
func (l *load) join(m Mode) { l.crowded.Store(m == OnlyGPU) }

// learned takes over what another one knows of arrivals and of the cores.
func (l *load) learned(o *load) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l.each.Store(o.each.Load())
	l.samples.Store(o.samples.Load())
	l.turn.Store(o.turn.Load())
	l.rate, l.reach, l.changed, l.until, l.begun = o.rate, o.reach, o.changed, o.until, o.begun
}

// leave ends with it, once x.gone is set: what is being decided meanwhile is undone.
func (l *load) leave(p *pool.Pool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.crowded.Store(false)
	l.rested = 0
	p.Rest(0)
}

// coresTake reports whether cores answer queries that either processor may.
func (l *load) coresTake() bool { return !l.crowded.Load() }

// core returns the average seconds of a core for a query.
func (l *load) core() float64 { return float64(l.each.Load()) / 1e9 }

// learn is told what a core took for a query, or for one of some on average.
func (l *load) learn(took time.Duration) {
	old := l.each.Load()
	n := min(l.samples.Add(1)+assumed, averaged)
	took = min(took, outlier*time.Duration(old))
	l.each.Store(max(old+(int64(took)-old)/n, 100))
}

// observe is told of batches that end, of answers of the cores and of queries that wait, now and then.
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
	answered := x.gate.taken(0)
	if was {
		answered = x.gate.taken(1) - x.again.Load()
	}
	l.decide(float64(arrived), answered, x.either.len() > 0, took, now)
	l.pace(x)
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

// decide says who answers, after a window in which some queries arrived: the processor that does has answered so many in all, and some wait
// for it, or none does.
func (l *load) decide(arrived float64, answered int64, wait bool, took, now time.Duration) {
	l.rate += weight(took, rateTime) * (arrived/took.Seconds() - l.rate)
	switch {
	case !wait:
		l.since = 0
	case l.since == 0:
		l.since, l.answered = now, answered
	}
	waited, rate := time.Duration(0), 0.
	if l.since > 0 {
		waited = now - l.since
		rate = float64(answered-l.answered) / max(waited.Seconds(), 1e-9)
	}
	switch {
	case !l.crowded.Load():
		if waited >= longestWait && now >= l.until {
			l.reach, l.changed, l.since = rate, now, 0
			l.crowded.Store(true)
		}
	case waited >= trialTime && rate < l.reach:
		l.uncrowd(now + retry)
	case l.rate < leastRate*l.reach && now-l.changed < shortTurn:
		l.uncrowd(now + shortRetry) // callers that wait for answers may ask less since these take longer
	case l.rate < leastRate*l.reach:
		l.uncrowd(0)
	}
}

// uncrowd has the cores answer, until some time at least.
func (l *load) uncrowd(until time.Duration) {
	l.since, l.until = 0, until
	l.crowded.Store(false)
}

// pace says how many workers rest, and when others let goroutines that serve the GPU run.
func (l *load) pace(x *Executor) {
	l.turn.Store(max(int64(turnTime.Seconds()/l.core()), 1))
	rest := 0
	if l.crowded.Load() {
		rest = min(x.workers/4+int(l.hosts+0.5), x.workers-1)
	}
	if rest != l.rested {
		l.rested = rest
		x.cpu.Rest(rest)
	}
}

// weight returns how much what lasted took counts in a moving average over a time.
func weight(took, over time.Duration) float64 { return took.Seconds() / (took + over).Seconds() }
