//go:build !purego

package unary

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec/simd"
)

// maxDiffer is the most low bits with which differences fit 32 bits: no number of a
// unary part is over 1024.
const maxDiffer = 21

func positions(dst []uint32, src []byte, from uint, n int) bool {
	if cap(src)-len(src) >= format.ReadablePadding && simd.Level() == simd.AVX512 {
		return positions512(&dst[0], &src[0], uint64(len(src)/4), uint64(from), uint64(n))
	}
	return positionsPortable(dst, src, from, n)
}

func addSums(dst, p []uint32, n int, width uint) {
	if simd.Level() == simd.AVX512 {
		addSums512(&dst[0], &p[0], uint64(n), uint64(width))
		return
	}
	addSumsPortable(dst, p, n, width)
}

func addNumbers(dst, p []uint32, n int, width uint) uint32 {
	if simd.Level() == simd.AVX512 {
		return addNumbers512(&dst[0], &p[0], uint64(n), uint64(width))
	}
	return addNumbersPortable(dst, p, n, width)
}

func join(dst, p []uint32, n int, width uint, base uint32) bool {
	if simd.Level() == simd.AVX512 {
		return join512(&dst[0], &p[0], uint64(n), uint64(width), base)
	}
	return joinPortable(dst, p, n, width, base)
}

func differ(dst, p []uint32, n int, width uint) bool {
	if width <= maxDiffer && simd.Level() == simd.AVX512 {
		return differ512(&dst[0], &p[0], uint64(n), uint64(width))
	}
	return differPortable(dst, p, n, width)
}
