//go:build !unix

package idxbench

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
