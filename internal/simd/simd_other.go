//go:build !amd64 || purego

package simd

// Best returns the highest tier of this CPU and build.
func Best() Tier { return Portable }
