//go:build !purego

package simdbp128

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
	"github.com/pinion-index/pinion/internal/simd"
)

// docsRun decodes full blocks in a row and returns how many; the one after them must be done by
// itself.
func docsRun(dst []uint32, s *codec.Sequence, block, count int) int {
	if count = within(s, block, count); count <= 0 || simd.Level() < simd.VBMI2 {
		return bitpack.DocsRun(dst, s, block, agree(s, block, count), BlockLen)
	}
	return int(docsRun512(&dst[:count*BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), uint64(count), patch.RunTable()))
}

// freqsRun is docsRun for frequencies.
func freqsRun(dst []uint32, s *codec.Sequence, block, count int) int {
	if count = within(s, block, count); count <= 0 || simd.Level() < simd.VBMI2 {
		return bitpack.FreqsRun(dst, s, block, agree(s, block, count), BlockLen)
	}
	return int(freqsRun512(&dst[:count*BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), uint64(count), patch.RunTable()))
}

// docsBlock decodes a full block; false where that must be done step by step.
func docsBlock(dst []uint32, s *codec.Sequence, block int) bool {
	switch level := simd.Level(); {
	case level == simd.Portable || within(s, block, 1) <= 0:
		return false
	case level < simd.VBMI2:
		return agree(s, block, 1) == 1 && bitpack.DocsBlock(dst, s, block, BlockLen)
	}
	return docsRun512(&dst[:BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), 1, patch.RunTable()) == 1
}

// freqsBlock is docsBlock for frequencies.
func freqsBlock(dst []uint32, s *codec.Sequence, block int) bool {
	switch level := simd.Level(); {
	case level == simd.Portable || within(s, block, 1) <= 0:
		return false
	case level < simd.VBMI2:
		return agree(s, block, 1) == 1 && bitpack.FreqsBlock(dst, s, block, BlockLen)
	}
	return freqsRun512(&dst[:BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), 1, patch.RunTable()) == 1
}
