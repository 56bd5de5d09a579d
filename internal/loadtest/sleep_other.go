//go:build !linux

package loadtest

import "time"

func sharpen() {}

// sleep stops two milliseconds early, since timers may be off by that.
func sleep(d time.Duration) {
	if d > 2*time.Millisecond {
		time.Sleep(d - 2*time.Millisecond)
	}
}
