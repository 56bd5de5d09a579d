//go:build !purego

package lrc

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
	"github.com/pinion-index/pinion/internal/simd"
)

// docsBlock decodes a full block; false where that must be done step by step.
func docsBlock(dst []uint32, s *codec.Sequence, block int) bool {
	return simd.Level() >= simd.AVX512 && docsBlock512(&dst[:BlockLen][0], (*byte)(unsafe.Pointer(s)), uint64(block), patch.Table())
}
