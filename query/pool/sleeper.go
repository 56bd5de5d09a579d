package pool

import "sync/atomic"

// sleeper lets one goroutine wait until another wakes it. Each wake ends one sleep, even one
// that begins later; at most one wake is pending.
//
// When a goroutine wakes n others, Go's scheduler starts their threads in a chain, each by the
// one before, which takes 30 microseconds or more per thread on a virtual machine. With kernel
// set, the goroutine sleeps in futex(2) instead, and each waker wakes its thread directly. To
// the runtime the sleeper is in a system call, so it keeps its P for some milliseconds unless
// others need it.
type sleeper struct {
	state  atomic.Uint32
	kernel bool
	wakes  chan struct{} // if not kernel
}

// States of a sleeper.
const (
	sleepNone = iota
	sleepWoken
	sleepAsleep
)

func (s *sleeper) init(kernel bool) {
	s.kernel = kernel && haveFutex
	if !s.kernel {
		s.wakes = make(chan struct{}, 1)
	}
}

// woken reports whether a wake is pending, and consumes it.
func (s *sleeper) woken() bool {
	return s.state.Load() == sleepWoken && s.state.CompareAndSwap(sleepWoken, sleepNone)
}

// sleep returns when s has been woken.
func (s *sleeper) sleep() {
	if s.state.CompareAndSwap(sleepNone, sleepAsleep) {
		if !s.kernel {
			<-s.wakes
		}
		for s.kernel && s.state.Load() == sleepAsleep {
			futexWait(&s.state, sleepAsleep)
		}
	}
	s.state.Store(sleepNone)
}

// wake ends the current sleep of s, or its next one.
func (s *sleeper) wake() {
	if s.state.Swap(sleepWoken) != sleepAsleep {
		return
	}
	if s.kernel {
		futexWake(&s.state)
	} else {
		s.wakes <- struct{}{}
	}
}
