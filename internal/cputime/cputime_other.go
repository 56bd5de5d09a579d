//go:build !unix

package cputime

import "time"

// Process returns 0: it is unknown on this platform.
func Process() time.Duration { return 0 }
