//go:build !amd64 || purego

package bytepack

import "github.com/pinion-index/pinion/format/codec"

func packFast([]byte, []byte, []uint32) (n, used int) { return 0, 0 }

func docsRun([]uint32, *codec.Sequence, int, int, int, *byte) int { return 0 }

func freqsRun([]uint32, *codec.Sequence, int, int, int, *byte) int { return 0 }

func unpack(dst []uint32, sel, data []byte, n int, prev uint32, k kind) (used int, ok bool) {
	return unpackGo(dst, sel, data, n, prev, k)
}
