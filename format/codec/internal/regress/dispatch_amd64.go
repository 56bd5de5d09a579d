//go:build !purego

package regress

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
	"github.com/pinion-index/pinion/internal/simd"
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
	level, d, seq := simd.Level(), &dst[:BlockLen][0], (*byte)(unsafe.Pointer(s))
	return level >= simd.VBMI2 && hasLine(s) && listRun512(d, seq, uint64(block), 1, patch.RunTable()) == 1 ||
		level >= simd.AVX512 && listSegment512(d, seq, uint64(block), patch.Table())
}

func chordBlock(dst []uint32, s *codec.Sequence, block int) bool {
	level, d, seq := simd.Level(), &dst[:BlockLen][0], (*byte)(unsafe.Pointer(s))
	return level >= simd.VBMI2 && chordRun512(d, seq, uint64(block), 1, patch.RunTable()) == 1 ||
		level >= simd.AVX512 && chordSegment512(d, seq, uint64(block), patch.Table())
}

func twoLines(dst []uint32, s *codec.Sequence, block int, lines *[2]Local, turn int) bool {
	return simd.Level() >= simd.AVX512 && bucketSegment512(&dst[:BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), patch.Table(), &lines[0].Start, uint64(turn))
}

// hasLine says whether the payload begins with a line and nothing else before the blocks.
func hasLine(s *codec.Sequence) bool { return s.Ends[0] == LineSize/4 && len(s.Payload) >= LineSize }

func listRun(dst []uint32, s *codec.Sequence, block, count int) int {
	if simd.Level() >= simd.VBMI2 && count > 0 && hasLine(s) {
		return int(listRun512(&dst[:count*BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), uint64(count), patch.RunTable()))
	}
	return oneByOne(dst, s, block, count, listBlock)
}

func chordRun(dst []uint32, s *codec.Sequence, block, count int) int {
	if simd.Level() >= simd.VBMI2 && count > 0 {
		return int(chordRun512(&dst[:count*BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), uint64(count), patch.RunTable()))
	}
	return oneByOne(dst, s, block, count, chordBlock)
}

// oneByOne returns how many blocks decode succeeds with.
func oneByOne(dst []uint32, s *codec.Sequence, block, count int, decode func([]uint32, *codec.Sequence, int) bool) int {
	if simd.Level() != simd.AVX512 {
		return 0
	}
	for i := range count {
		if !decode(dst[i*BlockLen:], s, block+i) {
			return i
		}
	}
	return max(0, count)
}

func bucketRun(dst []uint32, s *codec.Sequence, block, count int, shift, buckets uint) int {
	if simd.Level() < simd.VBMI2 || count <= 0 {
		return 0
	}
	return int(bucketRun512(&dst[:count*BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), uint64(count), patch.RunTable(), uint64(shift), uint64(buckets)))
}
