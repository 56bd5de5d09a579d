//go:build !(amd64 || arm64) || purego

package query

import "sync/atomic"

var relaxed atomic.Uint32

// relax spends a moment, n times.
func relax(n uint32) {
	for range 16 * n {
		relaxed.Load()
	}
}
