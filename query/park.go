package query

import "sync/atomic"

// sleeper is where one goroutine waits until another wakes it. Each wake ends one
// sleep, also one that begins later; there is never more than one to come.
//
// Go's own way to wake n goroutines starts the threads for them one after the
// other, each by the one before, which on a virtual machine takes 30 microseconds
// or more each time. A thread that sleeps in the kernel is woken by whoever wakes
// it. For that the runtime takes the goroutine to be in a system call: it keeps its
// P, unless others need it, for some milliseconds.
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

// woken reports whether s was woken, and if so takes note of it.
func (s *sleeper) woken() bool {
	return s.state.Load() == sleepWoken && s.state.CompareAndSwap(sleepWoken, sleepNone)
}

// sleep returns once s is woken.
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
