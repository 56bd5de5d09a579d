//go:build unix

package idxbench

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// peakRSS returns the peak resident memory of the process in bytes.
func peakRSS() int64 {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) * 1024
}
