//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Process returns the CPU time that the process has used, on all cores, or 0 if the
// system does not tell.
func Process() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
