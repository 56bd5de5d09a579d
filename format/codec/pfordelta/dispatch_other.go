//go:build !amd64 || purego

package pfordelta

import "github.com/pinion-index/pinion/format/codec"

func docsBlock([]uint32, *codec.Sequence, int) bool { return false }

func freqsBlock([]uint32, *codec.Sequence, int) bool { return false }
