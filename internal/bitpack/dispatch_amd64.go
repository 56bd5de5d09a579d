//go:build !purego

package bitpack

import (
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/simd"
)

func pack(dst []byte, v *[BlockLen]uint32, width uint) {
	if simd.Level() == simd.Portable {
		packPortable(dst, v, width)
		return
	}
	packAVX2(&dst[:VectorSize*width][0], &v[0], width)
}

func unpack(dst *[BlockLen]uint32, src []byte, width uint, plus uint32) {
	if simd.Level() == simd.Portable {
		unpackPortable(dst, src, width, plus)
		return
	}
	unpackAVX2(&dst[0], unsafe.SliceData(src), width, plus)
}

func unpackDocs(dst *[BlockLen]uint32, src []byte, width uint, prev uint32) {
	switch {
	case simd.Level() == simd.Portable:
		docsPortable(dst, src, width, prev)
	case width > widest:
		unpackAVX2(&dst[0], unsafe.SliceData(src), width, 0)
		sumAVX2(&dst[0], BlockLen, prev)
	default:
		docsAVX2(&dst[0], unsafe.SliceData(src), width, prev)
	}
}

func mask(dst []uint64, src []byte, width uint, first, last uint32) {
	if simd.Level() == simd.Portable {
		maskPortable(dst, src, width, first, last)
		return
	}
	maskAVX2(&dst[0], unsafe.SliceData(src), len(dst)/2, width, first, last-first)
}

func docsRun(dst []uint32, s *format.Sequence, block, count, size int) int {
	if simd.Level() == simd.Portable {
		return 0
	}
	return docsRunAVX2(&dst[:count*size][0], s, block, count, size)
}

func freqsRun(dst []uint32, s *format.Sequence, block, count, size int) int {
	if simd.Level() == simd.Portable {
		return 0
	}
	return freqsRunAVX2(&dst[:count*size][0], s, block, count, size)
}

func or(v []uint32) uint32 {
	n := len(v) &^ 15
	if n == 0 || simd.Level() == simd.Portable {
		return orPortable(v)
	}
	return orAVX2(&v[0], n) | orPortable(v[n:])
}

func prefixSum(v []uint32, prev uint32) {
	if n := len(v) &^ 15; n > 0 && simd.Level() != simd.Portable {
		sumAVX2(&v[0], n, prev)
		v, prev = v[n:], v[n-1]
	}
	sumPortable(v, prev)
}

func gapsOf(gaps, docs []uint32, prev uint32) (uint32, bool) {
	n := (len(docs) - 1) &^ 7
	if n <= 0 || simd.Level() == simd.Portable {
		return gapsPortable(gaps, docs, prev)
	}
	or1, ok1 := gapsPortable(gaps[:1], docs[:1], prev)
	or2, bad := gapsAVX2(&gaps[1], &docs[1], n)
	or3, ok3 := gapsPortable(gaps[1+n:], docs[1+n:], docs[n])
	return or1 | or2 | or3, ok1 && ok3 && bad>>31 == 0
}

func lessOne(dst, v []uint32) (uint32, bool) {
	n := len(v) &^ 7
	if n == 0 || simd.Level() == simd.Portable {
		return lessOnePortable(dst, v)
	}
	or1, zero := lessOneAVX2(&dst[0], &v[0], n)
	or2, ok := lessOnePortable(dst[n:], v[n:])
	return or1 | or2, ok && zero == 0
}
