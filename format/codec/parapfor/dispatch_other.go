//go:build !amd64 || purego

package parapfor

import "github.com/pinion-index/pinion/format/codec"

func docsBlock([]uint32, *codec.Sequence, int) bool { return false }

func freqsBlock([]uint32, *codec.Sequence, int) bool { return false }

func docsRun(dst []uint32, s *codec.Sequence, block, count int) int {
	return docsList(dst, s, block, count)
}
