//go:build !amd64 || purego

package bytepack

import "github.com/pinion-index/pinion/format/codec"

func packFast([]byte, []byte, []uint32) (n, used int) { return 0, 0 }

func docsRun(dst []uint32, s *codec.Sequence, block, count, size int, sel *byte) int {
	return docsRunGo(dst, s, block, count, size, sel)
}

func freqsRun(dst []uint32, s *codec.Sequence, block, count, size int, sel *byte) int {
	return freqsRunGo(dst, s, block, count, size, sel)
}

func unpack(dst []uint32, sel, data []byte, n int, prev uint32, k kind) (used int, ok bool) {
	return unpackGo(dst, sel, data, n, prev, k)
}
