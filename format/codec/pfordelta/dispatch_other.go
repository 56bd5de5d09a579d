//go:build !amd64 || purego

package pfordelta

import "github.com/pinion-index/pinion/format/codec"

func docsBlock([]uint32, *codec.Sequence, int) bool { return false }

func docsRun([]uint32, *codec.Sequence, int, int) int { return 0 }

func freqsBlock([]uint32, *codec.Sequence, int) bool { return false }
