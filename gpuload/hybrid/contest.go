package hybrid

// contest finds out whether cores that answer slow the GPU down by more than they add: they
// share caches, memory and often hardware threads with what serves it, and a query costs them more
// than looking it up for the GPU does. While the stock does not run empty, windows of batches are
// compared in which all idle cores answer, and in which the GPU answers alone.
type contest struct {
	alone   bool       // the GPU answers alone in this window
	best    bool       // value of alone that was better
	rate    [2]float64 // queries a nanosecond with all idle cores, with the GPU alone; 0: unknown
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
	firstRest, nextRest, mostRest = 1, 6, 48
	// contestMargin is by how much cores that answer must raise the rate: windows of one way differ
	// by several percent. Cores that answer contestShare of the queries, or could, are not compared:
	// what serves the GPU does not lose as much to them.
	contestMargin, contestShare = 1.05, 0.4
	// A trial that is so much worse after contestEarly batches is over.
	contestEarly, contestLost = 12, 0.9
)

// interrupt ends a window that tells nothing, since the stock ran empty.
func (c *contest) interrupt() {
	c.batches, c.n, c.cpu, c.time = 0, 0, 0, 0
}

// batch notes that a batch has ended, so many nanoseconds after the one before it, and how many
// queries both processors and the CPU answered in that time. In a hurry a trial ends and none begins.
func (c *contest) batch(time, n, cpu float64, hurry bool) {
	if c.batches++; c.batches <= contestFlush {
		return
	}
	c.n, c.cpu, c.time = c.n+n, c.cpu+cpu, c.time+time
	way, best := index(c.alone), index(c.best)
	lost := way != best && (hurry || c.batches >= contestFlush+contestEarly && c.n < contestLost*c.rate[best]*c.time)
	if c.batches < contestFlush+contestBatches && !lost {
		return
	}
	rate := c.n / max(c.time, 1)
	if way == best && c.rate[way] > 0 { // windows of one way differ by a tenth
		rate = (c.rate[way] + rate) / 2
	}
	if c.rate[way] = rate; c.rest == 0 {
		c.stay, c.rest = firstRest, nextRest
	}
	dear := c.cpu > contestShare*c.n
	c.interrupt()
	switch {
	case c.alone != c.best: // the trial is over
		c.rest = min(2*c.rest, mostRest)
		if better := c.rate[0] < contestMargin*c.rate[1]; !lost && better != c.best {
			c.best, c.rest = better, nextRest
		}
		c.alone, c.stay = c.best, c.rest
	case c.stay > 0 || dear || hurry:
		c.stay = max(c.stay-1, 0)
	default:
		c.alone = !c.best
	}
}

// index returns 1 for true.
func index(b bool) int {
	if b {
		return 1
	}
	return 0
}
