package loadtest

import (
	"time"

	"golang.org/x/sys/unix"
)

// sharpen makes the thread wake up on time. By default Linux may be 50 microseconds
// late.
func sharpen() { unix.Prctl(unix.PR_SET_TIMERSLACK, 1000, 0, 0, 0) }

// sleep sleeps in the kernel: the runtime's timers are off by up to a millisecond
// when the process is idle.
func sleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	unix.Nanosleep(&ts, nil)
}
