//go:build (emu && cgo) || cuda || gpu

package gpu

import "testing"

// few returns n with -short, otherwise all: how many of a test's cases run.
func few(n, all int) int {
	if testing.Short() {
		return min(n, all)
	}
	return all
}

// either returns Options.ranges: all disjunctions by ranges of documents, or none.
func either(ranges bool) int {
	if ranges {
		return 1
	}
	return -1
}
