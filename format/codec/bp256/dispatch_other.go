//go:build !amd64 || purego

package bp256

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
)

func docsRun(dst []uint32, s *codec.Sequence, block, count int) int {
	return bitpack.DocsRun(dst, s, block, count, BlockLen)
}

func freqsRun(dst []uint32, s *codec.Sequence, block, count int) int {
	return bitpack.FreqsRun(dst, s, block, count, BlockLen)
}

func freqsBlock(dst []uint32, s *codec.Sequence, block int) bool {
	return bitpack.FreqsBlock(dst, s, block, BlockLen)
}
