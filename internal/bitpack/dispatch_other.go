//go:build !amd64 || purego

package bitpack

import "github.com/pinion-index/pinion/format"

func pack(dst []byte, v *[BlockLen]uint32, width uint) { packPortable(dst, v, width) }

func unpack(dst *[BlockLen]uint32, src []byte, width uint, plus uint32) {
	unpackPortable(dst, src, width, plus)
}

func unpackDocs(dst *[BlockLen]uint32, src []byte, width uint, prev uint32) {
	docsPortable(dst, src, width, prev)
}

func mask(dst []uint64, src []byte, width uint, first, last uint32) {
	maskPortable(dst, src, width, first, last)
}

func docsRun([]uint32, *format.Sequence, int, int, int) int { return 0 }

func freqsRun([]uint32, *format.Sequence, int, int, int) int { return 0 }

func or(v []uint32) uint32 { return orPortable(v) }

func prefixSum(v []uint32, prev uint32) { sumPortable(v, prev) }

func gapsOf(gaps, docs []uint32, prev uint32) (uint32, bool) { return gapsPortable(gaps, docs, prev) }

func lessOne(dst, v []uint32) (uint32, bool) { return lessOnePortable(dst, v) }
