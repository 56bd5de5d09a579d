//go:build !purego

package newpfd

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
	"github.com/pinion-index/pinion/internal/simd"
)

// docsBlock decodes a full block; false where that must be done step by step.
func docsBlock(dst []uint32, s *codec.Sequence, block int) bool {
	level, d, seq := simd.Level(), &dst[:BlockLen][0], (*byte)(unsafe.Pointer(s))
	return level >= simd.VBMI2 && docsRun512(d, seq, uint64(block), 1, patch.RunTable()) == 1 ||
		level >= simd.AVX512 && docsBlock512(d, seq, uint64(block), patch.Table())
}

// docsRun decodes full blocks in a row and returns how many; the one after them must be done by
// itself.
func docsRun(dst []uint32, s *codec.Sequence, block, count int) int {
	if count <= 0 || simd.Level() < simd.AVX512 {
		return 0
	}
	if simd.Level() >= simd.VBMI2 {
		return int(docsRun512(&dst[:count*BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), uint64(count), patch.RunTable()))
	}
	for i := range count {
		if !docsBlock(dst[i*BlockLen:], s, block+i) {
			return i
		}
	}
	return count
}

// freqsBlock is docsBlock for frequencies.
func freqsBlock(dst []uint32, s *codec.Sequence, block int) bool {
	level, d, seq := simd.Level(), &dst[:BlockLen][0], (*byte)(unsafe.Pointer(s))
	return level >= simd.VBMI2 && freqsRun512(d, seq, uint64(block), 1, patch.RunTable()) == 1 ||
		level >= simd.AVX512 && freqsBlock512(d, seq, uint64(block), patch.Table())
}
