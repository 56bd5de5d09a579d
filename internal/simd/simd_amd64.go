//go:build amd64 && !purego

package simd

import "golang.org/x/sys/cpu"

var best = detect()

func detect() Tier {
	if x := &cpu.X86; !(x.HasAVX2 && x.HasBMI1 && x.HasBMI2) {
		return Portable
	}
	return AVX2
}

// Best returns the highest tier of this CPU and build.
func Best() Tier { return best }
