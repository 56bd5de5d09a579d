package varintgb

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/bytepack"
	"github.com/pinion-index/pinion/internal/codec/internal/gapblock"
)

// BlockLen is the number of values in a full block.
const BlockLen = 128

// groupMost is the number of bytes of the longest group.
const groupMost = 1 + 4*4

// Codec is varintgb. The zero value is ready to use.
type Codec struct{ gapblock.Codec[layout] }

var _ codec.BlockCodec = Codec{}

// ID returns codec.VarintGB.
func (Codec) ID() codec.ID { return codec.VarintGB }

type layout struct{}

func (layout) Len() int { return BlockLen }

func (layout) Size(v []uint32) int { return (bytepack.DataSize(v) + (len(v)+3)/4 + 3) &^ 3 }

func (layout) Append(dst []byte, v []uint32) []byte {
	start, at := len(dst), len(dst)
	dst = codec.Grow(dst, (len(v)+3)/4*groupMost+3)
	for ; len(v) > 0; v = v[min(4, len(v)):] {
		tag := at
		dst[tag] = 0
		at++
		for j, x := range v[:min(4, len(v))] {
			code := (bits.Len32(x|1) - 1) / 8
			dst[tag] |= byte(code << (2 * j))
			binary.LittleEndian.PutUint32(dst[at:], x)
			at += code + 1
		}
	}
	end := start + (at-start+3)&^3
	clear(dst[at:end])
	return dst[:end]
}

func (layout) Docs(dst []uint32, p []byte, n int, prev uint32) (small, ok bool) {
	return true, bytepack.UnpackDocs(dst[:n], nil, p, prev)
}

func (layout) Freqs(dst []uint32, p []byte, n int) (small, ok bool) {
	return true, bytepack.UnpackFreqs(dst[:n], nil, p)
}
