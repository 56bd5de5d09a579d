package gpu

import (
	"slices"

	"github.com/pinion-index/pinion/internal/kernels"
)

// times returns how many jobs a plan has in a segment at most.
func (p *plan) times() int {
	if p.way == byDrivers {
		return len(p.clauses.drivers)
	}
	return 1
}

// drivenJobs adds a job for each segment and driver of a plan, and returns the number of keys that it may collect.
func (l *batch) drivenJobs(p *plan, slot int) (keys int64) {
	views := len(l.x.docs.Views)
	for s := range l.x.docs.Views {
		if !p.matchable(s, views) {
			continue
		}
		first := true
		for nth, t := range p.clauses.drivers {
			n := p.lists[t*views+s].n
			if n == 0 {
				continue
			}
			l.jobs = append(l.jobs, job{plan: p, seg: s, slot: slot, nth: nth})
			if first {
				keys += int64(n)
			}
			first = false
		}
	}
	if len(p.clauses.drivers) > 1 {
		keys += l.x.options.overflow
	}
	return keys
}

// addDriver appends the terms of a job by a driver: that first, then the others that score, in canonical order, those that do not, and the
// drivers before it, which no document of its own has (kernels/rankclauses.h).
func (l *batch) addDriver(c *job) {
	p, views := c.plan, len(l.x.docs.Views)
	own, earlier := p.clauses.drivers[c.nth], p.clauses.drivers[:c.nth]
	c.first, c.drive = len(l.terms), append(take(&l.drives, 1)[:0], &p.lists[own*views+c.seg])
	at := len(l.clauses)
	add := func(t int, w kernels.Clause, weight float32) {
		w.Before = 0
		l.terms = append(l.terms, l.term(c, t, weight))
		l.score = append(l.score, l.x.docs.Scoring(c.seg, p.field(t)))
		l.clauses = append(l.clauses, w)
	}
	add(own, p.clauses.of[own], p.weights[own])
	position := uint32(1)
	for _, scores := range []bool{true, false} {
		for t := range p.weights {
			w := p.clauses.of[t]
			if t == own || (w.Sum != kernels.NoSum) != scores || p.lists[t*views+c.seg].n == 0 || slices.Contains(earlier, t) {
				continue
			}
			if add(t, w, p.weights[t]); scores && t < own {
				position++
			}
		}
	}
	for _, t := range earlier {
		if p.lists[t*views+c.seg].n > 0 {
			add(t, kernels.Clause{Set: p.clauses.not, Sum: kernels.NoSum}, 0)
		}
	}
	p.clauses.precede(l.clauses[at:])
	l.clauses[at].Before = position
	c.terms = len(l.terms) - c.first
	bound(l.terms[c.first:], p.clauses.test.Best > 0)
}

// bound sets what the terms after each can add, or score if the best of them counts.
func bound(terms []kernels.Term, best bool) {
	rest := 0.0
	for i := len(terms) - 1; i >= 0; i-- {
		terms[i].Rest = float32(rest * (1 + 1e-6)) // not less than the sum in float32
		if bound := float64(terms[i].Bound); best {
			rest = max(rest, bound)
		} else {
			rest += bound
		}
	}
}
