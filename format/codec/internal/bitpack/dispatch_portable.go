//go:build !amd64 || purego

package bitpack

import "github.com/pinion-index/pinion/format/codec"

func docsBlock([]uint32, *codec.Sequence, int, int) bool { return false }

func freqsBlock([]uint32, *codec.Sequence, int, int) bool { return false }

func docsRun(dst []uint32, s *codec.Sequence, block, count, size int) int {
	return docsRunPortable(dst, s, block, count, size)
}

func freqsRun([]uint32, *codec.Sequence, int, int, int) int { return 0 }

func packBlock(dst []byte, v []uint32, width uint) { packPortable(dst, v, width) }

func unpack(dst []uint32, src []byte, n int, width uint) {
	if whole(src, n, width) {
		plainPortable((*[BlockLen]uint32)(dst), src, width)
	} else {
		unpackShort(dst, src, n, width, 0, plainValues)
	}
}

func unpackFreqs(dst []uint32, src []byte, n int, width uint) {
	if whole(src, n, width) {
		freqsPortable((*[BlockLen]uint32)(dst), src, width)
	} else {
		unpackShort(dst, src, n, width, 0, freqsValues)
	}
}

func unpackDocs(dst []uint32, src []byte, n int, width uint, prev uint32) {
	if whole(src, n, width) {
		docsPortable((*[BlockLen]uint32)(dst), src, width, prev)
	} else {
		unpackShort(dst, src, n, width, prev, docsValues)
	}
}

func or(v []uint32) uint32 { return orPortable(v) }

func prefixSum(v []uint32, prev uint32) { sumPortable(v, prev) }

func gapsOf(gaps, docs []uint32, prev uint32) (uint32, bool) { return gapsPortable(gaps, docs, prev) }

func lessOne(dst, v []uint32) (uint32, bool) { return lessOnePortable(dst, v) }
