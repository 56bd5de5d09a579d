//go:build (amd64 || arm64) && !purego

package query

// relax spends n times the moment that the CPU's instruction for loops that wait
// takes, and leaves the core to its other threads meanwhile. n is above 0.
//
//go:noescape
func relax(n uint32)
