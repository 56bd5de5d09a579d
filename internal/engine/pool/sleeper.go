package pool

import "sync/atomic"

// sleeper lets one goroutine wait until another wakes it. Each wake ends one sleep, even one
// that begins later; at most one wake is pending.
//
// When a goroutine wakes n others, Go's scheduler starts their threads in a chain, each by the
// one before, which takes 30 microseconds or more per thread on a virtual machine. In the kernel,
// in futex(2), each waker wakes the sleeper's thread directly. But to the runtime the sleeper is
// in a system call then, and it keeps its P until sysmon takes it, up to 10 ms after others need
// it.
type sleeper struct {
	state atomic.Uint32
	wakes chan struct{} // for sleepParked
}

// States of a sleeper.
const (
	sleepNone = iota
	sleepWoken
	sleepAsleep // in the kernel
	sleepParked // in Go's scheduler
)

func (s *sleeper) init() { s.wakes = make(chan struct{}, 1) }

// woken reports whether a wake is pending, and consumes it.
func (s *sleeper) woken() bool {
	return s.state.Load() == sleepWoken && s.state.CompareAndSwap(sleepWoken, sleepNone)
}

// sleep returns when s has been woken. kernel is where it sleeps if that is possible.
func (s *sleeper) sleep(kernel bool) {
	switch {
	case kernel && haveFutex:
		if s.state.CompareAndSwap(sleepNone, sleepAsleep) {
			for s.state.Load() == sleepAsleep {
				futexWait(&s.state, sleepAsleep)
			}
		}
	case s.state.CompareAndSwap(sleepNone, sleepParked):
		<-s.wakes
	}
	s.state.Store(sleepNone)
}

// wake ends the current sleep of s, or its next one.
func (s *sleeper) wake() {
	switch s.state.Swap(sleepWoken) {
	case sleepAsleep:
		futexWake(&s.state)
	case sleepParked:
		s.wakes <- struct{}{}
	}
}
