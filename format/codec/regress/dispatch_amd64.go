//go:build !purego

package regress

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/patch"
	"github.com/pinion-index/pinion/format/codec/simd"
)

func add(v []uint32, l Local, prev uint32) bool {
	if len(v) == 0 {
		return true
	}
	switch simd.Level() {
	case simd.AVX512, simd.VBMI2:
		return add512(&v[0], uint64(len(v)), (*uint32)(unsafe.Pointer(&l)), prev)
	case simd.AVX2:
		return addAVX2(&v[0], uint64(len(v)), (*uint32)(unsafe.Pointer(&l)), prev)
	}
	return addPortable(v, l, prev)
}

func listBlock(dst []uint32, s *codec.Sequence, block int) bool {
	return simd.Level() >= simd.AVX512 && listSegment512(&dst[:BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), patch.Table())
}

func chordBlock(dst []uint32, s *codec.Sequence, block int) bool {
	return simd.Level() >= simd.AVX512 && chordSegment512(&dst[:BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), patch.Table())
}

func twoLines(dst []uint32, s *codec.Sequence, block int, lines *[2]Local, turn int) bool {
	return simd.Level() >= simd.AVX512 && bucketSegment512(&dst[:BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), patch.Table(), &lines[0].Start, uint64(turn))
}
