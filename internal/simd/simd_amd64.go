//go:build amd64 && !purego

package simd

import "golang.org/x/sys/cpu"

var best = detect()

func detect() Tier {
	x := &cpu.X86
	switch {
	case !(x.HasAVX2 && x.HasBMI1 && x.HasBMI2):
		return Portable
	case !(x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL):
		return AVX2
	}
	return AVX512
}

// Best returns the highest tier of this CPU and build.
func Best() Tier { return best }
