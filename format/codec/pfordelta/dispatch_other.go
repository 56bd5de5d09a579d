//go:build !amd64 || purego

package pfordelta

import "github.com/pinion-index/pinion/format/codec"

func docsBlock(dst []uint32, s *codec.Sequence, block int) bool {
	return docsList(dst, s, block, 1) == 1
}

func docsRun(dst []uint32, s *codec.Sequence, block, count int) int {
	return docsList(dst, s, block, count)
}

func freqsBlock(dst []uint32, s *codec.Sequence, block int) bool { return freqsList(dst, s, block) }
