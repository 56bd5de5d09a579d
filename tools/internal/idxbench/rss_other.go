//go:build !unix

package idxbench

// peakRSS is not known here.
func peakRSS() int64 { return 0 }
