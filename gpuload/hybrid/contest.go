package hybrid

// contest finds out whether cores that answer slow the GPU down by more than they add: they
// share caches, memory and often hardware threads with what serves it. While the stock does
// not run empty, windows of batches are compared in which all idle cores answer, and in which
// one does.
type contest struct {
	one     bool       // one core answers in this window
	best    bool       // value of one that was better
	rate    [2]float64 // queries a nanosecond with all idle cores, with one; 0: unknown
	batches int        // that have ended in this window
	n, cpu  float64    // queries that both, and the CPU, answered in it
	time    float64    // nanoseconds
	stay    int        // windows until the other way is tried
	rest    int        // value of stay after the next trial
}

const (
	// A window is contestBatches; the contestFlush before them do not count, since they began under the
	// other way. That is tried after firstRest windows, then after nextRest, and after twice as
	// many each time that it is worse, up to mostRest.
	contestBatches, contestFlush  = 24, 8
	firstRest, nextRest, mostRest = 3, 6, 48
	// contestMargin is by how much one core must be better. Cores that answer contestShare of
	// the queries are not compared: what serves the GPU does not lose as much to them.
	contestMargin, contestShare = 1.02, 0.4
	// A trial that is so much worse after contestEarly batches is over.
	contestEarly, contestLost = 6, 0.9
)

// interrupt ends a window that tells nothing, since the stock ran empty.
func (c *contest) interrupt() {
	c.batches, c.n, c.cpu, c.time = 0, 0, 0, 0
}

// batch notes that a batch has ended, so many nanoseconds after the one before it, and how many
// queries both processors and the CPU answered in that time.
func (c *contest) batch(time, n, cpu float64) {
	if c.batches++; c.batches <= contestFlush {
		return
	}
	c.n, c.cpu, c.time = c.n+n, c.cpu+cpu, c.time+time
	way, best := index(c.one), index(c.best)
	lost := way != best && c.batches >= contestFlush+contestEarly && c.n < contestLost*c.rate[best]*c.time
	if c.batches < contestFlush+contestBatches && !lost {
		return
	}
	if c.rate[way] = c.n / max(c.time, 1); c.rest == 0 {
		c.stay, c.rest = firstRest, nextRest
	}
	dear := c.cpu > contestShare*c.n
	c.interrupt()
	switch {
	case c.one != c.best: // the trial is over
		one := c.rate[1] > contestMargin*c.rate[0]
		if c.rest = min(2*c.rest, mostRest); one != c.best {
			c.rest = nextRest
		}
		c.best, c.one, c.stay = one, one, c.rest
	case c.stay > 0 || dear:
		c.stay = max(c.stay-1, 0)
	default:
		c.one = !c.best
	}
}

// index returns where contest.rate is of windows in which one core answers, or all idle ones.
func index(one bool) int {
	if one {
		return 1
	}
	return 0
}
