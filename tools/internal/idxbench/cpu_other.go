//go:build !unix

package idxbench

import "time"

// cpuTime returns 0: it is unknown on this platform.
func cpuTime() time.Duration { return 0 }
