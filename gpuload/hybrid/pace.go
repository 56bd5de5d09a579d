package hybrid

import (
	"math"
	"time"
)

// pace is how long a processor takes over what the Model predicts: a moving average over
// the times when it was busy. It makes up for what the Model does not know: cores that
// share memory, batches that overlap, lists that are not resident.
type pace struct {
	factor float64
	since  time.Duration // when the processor was last known to be busy; below 0: it is idle
	took   time.Duration // busy, since the last change of factor
	work   time.Duration // predicted, finished in that time
}

const (
	paceWindow       = time.Millisecond
	paceKept         = 0.75 // of the old factor
	fastest, slowest = 1.0 / 64, 1024
	idlePace         = time.Duration(-1)
)

func (p *pace) init() { p.factor, p.since = 1, idlePace }

// of returns the time that predicted work takes.
func (p *pace) of(work time.Duration) time.Duration {
	return time.Duration(float64(work) * p.factor)
}

// start marks the processor as busy.
func (p *pace) start(now time.Duration) {
	if p.since == idlePace {
		p.since = now
	}
}

// relax lets the pace of a processor that is idle approach 1, by a factor of e in the time every: what it
// took when it was last busy, or stopped by others on the host, says less and less. A pace that sends it
// no work would never be corrected otherwise.
func (p *pace) relax(passed, every time.Duration) {
	if p.since == idlePace && p.factor != 1 {
		p.factor = 1 + (p.factor-1)*math.Exp(-float64(passed)/float64(every))
	}
}

// rest marks the processor as idle since the last call.
func (p *pace) rest() { p.since = idlePace }

// finish records that the processor has finished work and was busy since the last call, or start. If
// it was not known to be busy, nothing is known of what the work took.
func (p *pace) finish(work, now time.Duration) {
	if p.since == idlePace {
		p.since = now
		return
	}
	p.took += now - p.since
	p.work += work
	p.since = now
	if p.took < paceWindow || p.work <= 0 {
		return
	}
	f := min(max(float64(p.took)/float64(p.work), fastest), slowest)
	p.factor = paceKept*p.factor + (1-paceKept)*f
	p.took, p.work = 0, 0
}
