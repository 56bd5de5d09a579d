//go:build !amd64 || purego

package simdbp128

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
)

func docsRun(dst []uint32, s *codec.Sequence, block, count int) int {
	return bitpack.DocsRun(dst, s, block, agree(s, block, within(s, block, count)), BlockLen)
}

func freqsRun(dst []uint32, s *codec.Sequence, block, count int) int {
	return bitpack.FreqsRun(dst, s, block, agree(s, block, within(s, block, count)), BlockLen)
}

func docsBlock([]uint32, *codec.Sequence, int) bool { return false }

func freqsBlock([]uint32, *codec.Sequence, int) bool { return false }
