package loadtest

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/search"
)

// askers returns how many goroutines ask queries that arrive.
func askers() int { return min(1+runtime.NumCPU()/3, mostAskers) }

// SpareProcs raises GOMAXPROCS for goroutines that ask, so that what is measured does not keep
// queries from being asked, but not above the number of cores: the kernel would stop threads that
// hold Ps. It returns what lowers it.
func SpareProcs() (lower func()) {
	procs := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(max(procs, min(procs+askers(), runtime.NumCPU())))
	return func() { runtime.GOMAXPROCS(procs) }
}

// asking asks queries when they are due: one goroutine does, and others help while it is behind, since
// one asks no more than about a million a second and loses its core at times. What they share changes
// with every askAtOnce queries.
type asking struct {
	due, took, asked []time.Duration // since the start: when it should be asked, and was; until the answer
	ask              func(i int, done func([]search.Hit, error)) error
	replies          []reply
	clock            *Clock
	_                [64]byte
	next             atomic.Int64
	_                [64]byte
	helps            chan struct{} // wakes those that help
	failed           atomic.Pointer[error]
	helpers          sync.WaitGroup
	answers          [64]struct {
		n atomic.Int64
		_ [120]byte
	}
}

// reply is what a query calls when it is answered. Each serves one query after the other: a closure for
// each of millions a second is garbage, and what collects that would be measured.
type reply struct {
	a    *asking
	i    int
	busy atomic.Bool
	done func([]search.Hit, error)
}

const (
	mostReplies = 1 << 16                // more queries than mostly wait; others have closures
	mostAskers  = 6                      // goroutines that ask
	helpAfter   = 100 * time.Microsecond // so late is a query when another helps
	askAtOnce   = 16
)

func newAsking(due []time.Duration, askers int) *asking {
	n := len(due)
	a := &asking{due: due, took: make([]time.Duration, n), asked: make([]time.Duration, n), helps: make(chan struct{}, askers), clock: NewClock(),
		replies: make([]reply, min(n, mostReplies))}
	for i := range a.replies {
		r := &a.replies[i]
		r.a, r.done = a, r.answered
	}
	return a
}

func (r *reply) answered(_ []search.Hit, err error) {
	i := r.i
	r.busy.Store(false)
	r.a.answered(i, err)
}

// reply returns what query i calls when it is answered.
func (a *asking) reply(i int) func([]search.Hit, error) {
	if r := &a.replies[i%len(a.replies)]; r.busy.CompareAndSwap(false, true) {
		r.i = i
		return r.done
	}
	return func(_ []search.Hit, err error) { a.answered(i, err) }
}

// run asks all queries and waits for the answers.
func (a *asking) run(askers int) {
	for range askers - 1 {
		a.helpers.Go(func() {
			for range a.helps {
				for i := int(a.next.Load()); a.late(i) > 0; i = int(a.next.Load()) {
					a.some(i)
				}
			}
		})
	}
	for i := 0; i < len(a.due) && a.failed.Load() == nil; i = int(a.next.Load()) {
		a.clock.Wait(a.due[i])
		if a.late(i) > helpAfter {
			select {
			case a.helps <- struct{}{}:
			default:
			}
		}
		a.some(i)
	}
	close(a.helps)
	a.helpers.Wait()
	for asked := a.next.Load(); ; time.Sleep(100 * time.Microsecond) {
		n := int64(0)
		for k := range a.answers {
			n += a.answers[k].n.Load()
		}
		if n == asked {
			return
		}
	}
}

// late returns for how long query i has been due; below 0 if there is none.
func (a *asking) late(i int) time.Duration {
	if i >= len(a.due) || a.failed.Load() != nil {
		return -1
	}
	return a.clock.Now() - a.due[i]
}

// some asks the queries that are due from i on, unless another goroutine does.
func (a *asking) some(i int) {
	n := 1
	if last := i + askAtOnce - 1; a.late(last) > 0 {
		n = askAtOnce
	}
	if !a.next.CompareAndSwap(int64(i), int64(i+n)) {
		return
	}
	for ; n > 0; n-- {
		a.asked[i] = a.clock.Now()
		done := a.reply(i)
		if err := a.ask(i, done); err != nil {
			done(nil, err)
		}
		i++
	}
}

// answered records the answer of query i.
func (a *asking) answered(i int, err error) {
	a.took[i] = a.clock.Now() - a.due[i]
	if errors.Is(err, hybrid.ErrOverload) {
		a.took[i] = Refused
	} else if err != nil {
		a.failed.Store(&err)
	}
	a.answers[i/askAtOnce%len(a.answers)].n.Add(1)
}
