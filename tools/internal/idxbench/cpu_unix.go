//go:build unix

package idxbench

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time that the process has used.
func cpuTime() time.Duration {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
