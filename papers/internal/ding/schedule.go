package ding

import (
	"math/rand/v2"
	"slices"
)

// Processors, as indexes of times.
const (
	theCPU = iota
	theGPU
)

// cost is what a query takes on either processor, in seconds.
type cost struct{ took, estimate [2]float64 }

// favored returns the processor that is estimated to take less.
func (c *cost) favored() int {
	if c.estimate[theGPU] < c.estimate[theCPU] {
		return theGPU
	}
	return theCPU
}

// muchFaster is how many times as fast a processor is estimated to be on queries of its own group.
const muchFaster = 2

// suits reports whether c is in the group of a processor.
func (c *cost) suits(p int) bool { return c.estimate[1-p] > muchFaster*c.estimate[p] }

// job is a query that arrives.
type job struct {
	*cost
	arrives float64
}

// machine simulates a CPU and a GPU that each answer one query at a time.
type machine struct {
	now      float64
	deadline float64    // of a job, after its arrival
	until    [2]float64 // when a processor has answered
	waiting  []job      // the oldest first
	// choose returns the index of the waiting job that an idle processor takes, -1 for none.
	choose func(m *machine, p int) int
}

// arrivals draws jobs that arrive at random (a Poisson process), and ask costs in turn.
func arrivals(costs []cost, n int, rate float64) []job {
	r := rand.New(rand.NewPCG(9, 17))
	out, at := make([]job, n), 0.0
	for i := range out {
		at += r.ExpFloat64() / rate
		out[i] = job{&costs[i%len(costs)], at}
	}
	return out
}

// run returns how long each job takes from its arrival on, in the order in which they are begun.
func (m *machine) run(jobs []job) (delays []float64) {
	for {
		for p := range m.until {
			if m.until[p] > m.now {
				continue
			}
			if i := m.choose(m, p); i >= 0 {
				j := m.waiting[i]
				m.waiting = slices.Delete(m.waiting, i, i+1)
				m.until[p] = m.now + j.took[p]
				delays = append(delays, m.until[p]-j.arrives)
			}
		}
		switch busy := m.nextIdle(); {
		case len(jobs) > 0 && (busy <= m.now || jobs[0].arrives <= busy):
			m.now = jobs[0].arrives
			m.waiting, jobs = append(m.waiting, jobs[0]), jobs[1:]
		case busy > m.now:
			m.now = busy
		default:
			return delays
		}
	}
}

// nextIdle returns when the first of the busy processors has answered, m.now or less if none is busy.
func (m *machine) nextIdle() float64 {
	first := max(m.until[0], m.until[1])
	for _, t := range m.until {
		if t > m.now {
			first = min(first, t)
		}
	}
	return first
}

// alone returns the rule by which one processor answers all jobs, the oldest first.
func alone(p int) func(*machine, int) int {
	return func(m *machine, idle int) int {
		if idle != p || len(m.waiting) == 0 {
			return -1
		}
		return 0
	}
}

// serialized has the better processor answer each job, one job at a time.
func serialized(m *machine, p int) int {
	if len(m.waiting) == 0 || m.until[1-p] > m.now || m.waiting[0].favored() != p {
		return -1
	}
	return 0
}

// parallel is the schedule of section 9. An idle processor takes the oldest job that has waited for half of
// the time to its deadline and is estimated to take less on it; else of its own group the one that is estimated
// to take least; else the oldest that is in neither group; else it steals from the other's group.
func parallel(m *machine, p int) int {
	least, either := -1, -1
	for i := range m.waiting {
		switch j := &m.waiting[i]; {
		case m.now-j.arrives > m.deadline/2 && j.favored() == p:
			return i
		case j.suits(p):
			if least < 0 || j.estimate[p] < m.waiting[least].estimate[p] {
				least = i
			}
		case either < 0 && !j.suits(1-p):
			either = i
		}
	}
	switch {
	case least >= 0:
		return least
	case either >= 0:
		return either
	}
	return m.steal(p)
}

// steal returns the job of the other's group that loses least on p, if p answers it before the other is estimated
// to have answered all that wait.
func (m *machine) steal(p int) int {
	best, other := -1, max(m.until[1-p]-m.now, 0)
	loss := func(i int) float64 { return m.waiting[i].estimate[p] / m.waiting[i].estimate[1-p] }
	for i := range m.waiting {
		other += m.waiting[i].estimate[1-p]
		if best < 0 || loss(i) < loss(best) {
			best = i
		}
	}
	if best < 0 || m.waiting[best].estimate[p] > other {
		return -1
	}
	return best
}
