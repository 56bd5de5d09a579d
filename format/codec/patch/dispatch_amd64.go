//go:build !purego

package patch

import (
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec/simd"
)

// vectors says whether the AVX-512 kernels may be used: they read up to 64 bytes past
// the exceptions.
func vectors(src []byte) bool {
	return cap(src)-len(src) >= format.ReadablePadding && simd.Level() == simd.AVX512
}

func apply(dst []uint32, n int, src []byte, bit uint, p Plan, pos uint, less uint32) bool {
	if vectors(src) {
		return apply512(&dst[0], unsafe.SliceData(src), uint64(bit), uint64(p.Count), uint64(p.Over), uint64(p.Width), uint64(pos), uint64(n), less, 0)
	}
	return applyPortable(dst, n, src, bit, p, pos, less)
}

func applyFreqs(dst []uint32, n int, src []byte, bit uint, p Plan, pos uint, less uint32) bool {
	if vectors(src) {
		return applyFreqs512(&dst[0], unsafe.SliceData(src), uint64(bit), uint64(p.Count), uint64(p.Over), uint64(p.Width), uint64(pos), uint64(n), less, 0)
	}
	return applyFreqsPortable(dst, n, src, bit, p, pos, less)
}

func applyDocs(dst []uint32, n int, src []byte, bit uint, p Plan, pos uint, less, prev uint32) bool {
	if vectors(src) {
		return applyDocs512(&dst[0], unsafe.SliceData(src), uint64(bit), uint64(p.Count), uint64(p.Over), uint64(p.Width), uint64(pos), uint64(n), less, prev)
	}
	return applyDocsPortable(dst, n, src, bit, p, pos, less, prev)
}
