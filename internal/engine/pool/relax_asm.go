//go:build (amd64 || arm64) && !purego

package pool

// relax executes the CPU's spin-wait instruction n times, which yields the core to its other
// hardware threads. n is above 0.
//
//go:noescape
func relax(n uint32)
