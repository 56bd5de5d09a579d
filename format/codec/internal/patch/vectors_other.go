//go:build !amd64 || purego

package patch

import "github.com/pinion-index/pinion/format/codec/internal/bitpack"

func vectors([]byte) bool { return false }

func (*layout) unpackVectors(*[bitpack.BlockLen]uint32, int, []byte, source, kind, uint32) bool {
	return false
}
