package gpu

import (
	"sync/atomic"
	"time"
)

// scarcity is what an Executor knows of the two ways to answer queries whose lists are not there
// when memory is full: to load the lists in place of others, or to leave the queries to the CPU.
type scarcity struct {
	asked  atomic.Uint64 // how often
	load   average       // time for a list
	answer average       // time of the CPU for a query

	sooner func(lists, queries int) bool // set by tests: whether loading is
}

// tryEach is how often the way that seems slower is taken, to measure it: one batch in so many.
const tryEach = 16

// answered records that the CPU has answered n queries in a time, unless it says itself what one takes it.
func (s *scarcity) answered(cpu any, n int, took time.Duration) {
	if m, ok := cpu.(*member); ok {
		cpu = m.behind()
	}
	if c, ok := cpu.(interface{ Each() time.Duration }); ok {
		took = time.Duration(n) * c.Each()
	}
	s.answer.add(n, took)
}

// loads reports whether to load lists rather than to leave queries to the CPU: if that takes less
// time, by what the last ones took.
func (s *scarcity) loads(lists, queries int) bool {
	sooner := s.load.of(lists) <= s.answer.of(queries)
	if s.sooner != nil {
		sooner = s.sooner(lists, queries)
	}
	return sooner != (s.asked.Add(1)%tryEach == 0)
}

// average is a moving average of the time that each of many things takes.
type average struct{ ns atomic.Int64 }

// add records that n things took a time.
func (a *average) add(n int, took time.Duration) {
	if n > 0 {
		each, old := int64(took)/int64(n), a.ns.Load()
		if old == 0 {
			old = each
		}
		a.ns.Store(max(old+(each-old)/8, 1))
	}
}

// of returns the time of n things, 0 if none has been recorded.
func (a *average) of(n int) time.Duration { return time.Duration(a.ns.Load() * int64(n)) }
