//go:build !unix

package idxbench

// peakRSS returns 0: it is unknown on this platform.
func peakRSS() int64 { return 0 }
