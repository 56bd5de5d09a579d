package loadtest

import (
	"runtime"
	"time"
)

// Clock measures the time since start. One goroutine waits on it.
type Clock struct{ start time.Time }

// NewClock locks the goroutine to its thread, until Stop, and starts a clock.
func NewClock() *Clock {
	runtime.LockOSThread()
	sharpen()
	return &Clock{time.Now()}
}

// Stop lets the goroutine go.
func (c *Clock) Stop() { runtime.UnlockOSThread() }

// Now returns the time since the start.
func (c *Clock) Now() time.Duration { return time.Since(c.start) }

// Wait returns at the given time, at most a few microseconds late. It sleeps for most
// of the wait and spins for the rest.
func (c *Clock) Wait(until time.Duration) {
	const margin = 60 * time.Microsecond
	for {
		left := until - c.Now()
		if left <= 0 {
			return
		}
		if left > margin {
			sleep(left - margin)
		}
	}
}
