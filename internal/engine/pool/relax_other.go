//go:build !(amd64 || arm64) || purego

package pool

import "sync/atomic"

var relaxed atomic.Uint32

// relax waits n times for a short moment.
func relax(n uint32) {
	for range 16 * n {
		relaxed.Load()
	}
}
