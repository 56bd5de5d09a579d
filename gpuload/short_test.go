//go:build (emu && cgo) || cuda || gpu

package gpuload

import "testing"

// few returns n with -short, otherwise all: how many of a test's cases run.
func few(n, all int) int {
	if testing.Short() {
		return min(n, all)
	}
	return all
}
