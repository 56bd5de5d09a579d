package hybrid

import (
	"math"
	"time"
)

// arm is what the processors do while queries are more than they can answer. The
// predictions say which queries suit which processor, but not whether both together are
// faster than one alone: the work for a batch takes cores from the CPU, and the CPU's
// queries take cores from that work. So a guard measures it.
type arm uint8

const (
	together arm = iota // by the queues
	shared              // by the queues, but the CPU leaves half of its cores to the work for the GPU
	cpuAlone            // the CPU answers everything
	gpuAlone            // the GPU answers everything that it can
	arms
)

// guard chooses the arm that answers most. It measures rates in the value of answered
// queries over time, so that they depend little on which queries an arm prefers. It tries the other arms now and then. What a trial loses is known afterwards,
// and the next one waits frugal times as long, so the trials of an arm cost at most 1/frugal.
type guard struct {
	arm   arm // in use
	best  arm // highest rate
	rate  [arms]float64
	tried [arms]int           // how often each was measured
	again [arms]time.Duration // no trial before
	check time.Duration       // when tick should be called again, never if it need not

	slack    time.Duration // when queries were last few
	answered time.Duration // value: of the CPU's queries when taken, of the GPU's when answered
	finished [2]int        // queries of the CPU, batches of the GPU

	entered mark // when the arm was chosen
	since   mark // when what was taken before was done, if settled
	settled bool
	trial   bool // the arm is not the best one
	ended   bool // a batch has, since the last call of tick
	batches int  // as of then
	before  int  // batches that had begun when the arm was chosen
	left    arm  // the arm before, whose queries in flight count as its trial until settled
}

// mark is the state of the counters at a moment.
type mark struct {
	at       time.Duration
	answered time.Duration
	finished [2]int
}

const (
	// fullFor is how long queries must have been many before arms are tried.
	fullFor = 5 * time.Millisecond
	// A trial takes trialTime at least, and so many queries and batches that the rate is
	// known. What is in use is measured every usedTime. An arm that answers less than
	// hopeless of the best rate is left as soon as that is sure.
	trialTime, usedTime = 3 * time.Millisecond, 12 * time.Millisecond
	someBatches         = 3
	firstTime           = 25 * time.Millisecond // at most, for the first measurement
	hopeless            = 0.7
	// frugal bounds what trials cost; they are restTime apart at least, longestRest at most.
	frugal      = 200
	restTime    = 200 * time.Millisecond
	longestRest = time.Minute
	// better is by how much a rate must exceed that of the arm in use.
	better = 1.02
	// many is how much predicted work makes queries many.
	many = time.Millisecond
)

// tick measures, and changes the arm if it is time.
func (p *policy) tick(now time.Duration) {
	g := &p.guard
	g.ended, g.batches = g.finished[1] > g.batches, g.finished[1]
	if p.mode != Parallel || p.retired {
		g.arm, g.check = together, never
		return
	}
	if !p.full() {
		g.slack = now
		if g.arm != together {
			p.enter(together, now)
		} else {
			g.settled = false
		}
		g.check = never
		return
	}
	if now-g.slack < fullFor {
		return
	}
	if !g.settled {
		if p.settles(now) {
			g.since, g.settled = g.mark(now), true
			if g.left != g.best && g.arm == g.best {
				g.again[g.left] += min(frugal*g.lost(now), longestRest)
			}
			g.left = g.arm
		}
	}
	switch {
	case g.hopeless(p, now):
		rate := float64(g.answered-g.entered.answered+p.gpu.value) / float64(now-g.entered.at)
		p.measured(rate, now, true)
	case !g.settled && g.rate[cpuAlone] == 0 && g.arm == together && now-g.entered.at >= firstTime:
		p.measured(float64(g.answered-g.entered.answered)/float64(now-g.entered.at), now, true)
	case g.settled && g.enough(p, now):
		rate := float64(g.answered-g.since.answered) / float64(now-g.since.at)
		p.measured(rate, now, false)
	case g.check <= now:
		g.check = now + trialTime
	}
}

// full reports whether queries are more than the processors answer at once.
func (p *policy) full() bool {
	n, cost := p.cpu.queries+p.gpu.queries, p.cpu.work
	for i := range p.queues {
		n += p.queues[i].n
		cost += p.queues[i].cost.CPU
	}
	return float64(n) >= 8*p.workers && float64(p.cpu.pace.of(cost))/p.workers+float64(p.gpu.pace.of(p.gpu.work)) >= float64(many)
}

// value is what answering a query counts.
func (c Cost) value() time.Duration {
	return time.Duration(math.Sqrt(float64(c.CPU) * float64(c.GPU)))
}

func (g *guard) mark(now time.Duration) mark { return mark{now, g.answered, g.finished} }

// enter begins an arm.
func (p *policy) enter(a arm, now time.Duration) {
	g := &p.guard
	g.left, g.arm, g.settled, g.trial = g.arm, a, false, false
	g.entered, g.before = g.mark(now), g.finished[1]+p.gpu.batches
	g.check = now + trialTime
}

// settles reports whether the processors work as the arm says.
func (p *policy) settles(now time.Duration) bool {
	g := &p.guard
	if g.entered.at < g.slack {
		g.entered, g.before = g.mark(now), g.finished[1]+p.gpu.batches
		g.check = now + trialTime
	}
	if g.arm == cpuAlone {
		return p.gpu.batches == 0
	}
	grown := p.trusted >= p.batch || p.timed
	return grown && g.ended && g.finished[1] > g.before && (g.arm != gpuAlone || p.cpu.queries == 0 || now-g.entered.at > 10*trialTime)
}

// hopeless reports whether the arm is slow whatever happens to the queries in flight.
func (g *guard) hopeless(p *policy, now time.Duration) bool {
	passed := now - g.entered.at
	if g.best == g.arm || g.rate[g.best] == 0 || passed < trialTime {
		return false
	}
	return float64(g.answered-g.entered.answered+p.gpu.value) < hopeless*g.rate[g.best]*float64(passed)
}

// enough reports whether the rate since the arm settled is known. A time with the GPU is
// measured from the end of a batch to the end of another.
func (g *guard) enough(p *policy, now time.Duration) bool {
	passed, need := now-g.since.at, trialTime
	if g.arm == g.best && g.tried[g.arm] > 0 {
		need = usedTime
	}
	if g.arm == cpuAlone {
		return passed >= need && float64(g.finished[0]-g.since.finished[0]) >= 2*p.workers
	}
	if g.arm <= shared && passed >= max(firstTime, 4*need) {
		return true
	}
	return passed >= need && g.ended && g.finished[1]-g.since.finished[1] >= someBatches
}

// lost is the time that the arm has lost against the best one.
func (g *guard) lost(now time.Duration) time.Duration {
	return max(now-g.entered.at-time.Duration(float64(g.answered-g.entered.answered)/g.rate[g.best]), 0)
}

// measured records the rate of the arm and enters the next one.
func (p *policy) measured(rate float64, now time.Duration, bad bool) {
	g := &p.guard
	a := g.arm
	switch {
	case g.tried[a] == 0 || bad:
		g.rate[a] = rate
	case g.tried[a] < 4:
		g.rate[a] += (rate - g.rate[a]) / 2
	default:
		g.rate[a] += (rate - g.rate[a]) / 4
	}
	g.tried[a]++
	for b := range arms {
		if g.rate[b] > better*g.rate[g.best] {
			g.best = b
		}
	}
	if a != g.best {
		g.again[a] = now + restTime
		if g.trial {
			g.again[a] = now + min(max(frugal*g.lost(now), restTime), longestRest)
		}
	}
	next := g.best
	if a == g.best {
		for _, b := range [...]arm{cpuAlone, gpuAlone, shared, together} {
			if b != a && g.again[b] <= now {
				next = b
				break
			}
		}
	}
	if next == a { // goes on
		g.since, g.settled, g.check = g.mark(now), true, now+trialTime
		g.entered = g.since
		return
	}
	p.enter(next, now)
	g.trial = next != g.best
}
