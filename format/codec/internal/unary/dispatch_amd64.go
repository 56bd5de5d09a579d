//go:build !purego

package unary

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/simd"
)

// maxNarrow is the most low bits with which numbers and sums fit 31 bits: no sum of a
// unary part is over 1024.
const maxNarrow = 20

// tier returns the instructions that may be used on src, whose last word is read
// past.
func tier(src []byte) simd.Tier {
	if cap(src)-len(src) < format.ReadablePadding {
		return simd.Portable
	}
	return simd.Level()
}

func addSums(dst []uint32, n int, src []byte, from, width uint) bool {
	switch tier(src) {
	case simd.AVX512, simd.VBMI2:
		return addSums512(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), 0)
	case simd.AVX2:
		return addSumsAVX2(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), 0)
	}
	return addSumsPortable(dst, n, src, from, width)
}

func addNumbers(dst []uint32, n int, src []byte, from, width uint) bool {
	if width <= maxNarrow {
		switch tier(src) {
		case simd.AVX512, simd.VBMI2:
			return addNumbers512(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), 0)
		case simd.AVX2:
			return addNumbersAVX2(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), 0)
		}
	}
	return addNumbersPortable(dst, n, src, from, width)
}

func join(dst []uint32, n int, src []byte, from, width uint, base uint32) bool {
	switch tier(src) {
	case simd.AVX512, simd.VBMI2:
		return join512(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), base)
	case simd.AVX2:
		return joinAVX2(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), base)
	}
	return joinPortable(dst, n, src, from, width, base)
}

func differ(dst []uint32, n int, src []byte, from, width uint) bool {
	if width <= maxNarrow {
		switch tier(src) {
		case simd.AVX512, simd.VBMI2:
			return differ512(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), 0)
		case simd.AVX2:
			return differAVX2(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), 0)
		}
	}
	return differPortable(dst, n, src, from, width)
}
