package hybrid

import "time"

// overload is when more arrives than the cores can answer: they have had as much to do as may bypass the queues. Then
// all queries go to the stock for a time, and the cores, which would delay the GPU's work, catch up. The time doubles
// if they have as much to do soon after it.
type overload struct {
	until time.Duration // from the last time on
	held  time.Duration
}

// The time is firstHeld to longestHeld. It doubles if the next begins within soonAgain times as long.
const firstHeld, longestHeld, soonAgain = 2 * time.Millisecond, 256 * time.Millisecond, 4

// full notes that the cores have as much to do as may bypass the queues.
func (v *overload) full(now time.Duration) {
	if now < v.until+soonAgain*v.held {
		v.held = min(2*v.held, longestHeld)
	} else {
		v.held = firstHeld
	}
	v.until = now + v.held
}

// now reports whether it is such a time.
func (v *overload) now(now time.Duration) bool { return now < v.until }
