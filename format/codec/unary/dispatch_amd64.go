//go:build !purego

package unary

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec/simd"
)

// maxNarrow is the most low bits with which numbers and sums fit 31 bits: no sum of a
// unary part is over 1024.
const maxNarrow = 20

// vectors says whether the AVX-512 kernels may be used.
func vectors(src []byte) bool {
	return cap(src)-len(src) >= format.ReadablePadding && simd.Level() == simd.AVX512
}

func addSums(dst []uint32, n int, src []byte, from, width uint) bool {
	if vectors(src) {
		return addSums512(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), 0)
	}
	return addSumsPortable(dst, n, src, from, width)
}

func addNumbers(dst []uint32, n int, src []byte, from, width uint) bool {
	if width <= maxNarrow && vectors(src) {
		return addNumbers512(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), 0)
	}
	return addNumbersPortable(dst, n, src, from, width)
}

func join(dst []uint32, n int, src []byte, from, width uint, base uint32) bool {
	if vectors(src) {
		return join512(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), base)
	}
	return joinPortable(dst, n, src, from, width, base)
}

func differ(dst []uint32, n int, src []byte, from, width uint) bool {
	if width <= maxNarrow && vectors(src) {
		return differ512(&dst[0], uint64(n), &src[0], uint64(len(src)/4), uint64(from), uint64(width), 0)
	}
	return differPortable(dst, n, src, from, width)
}
