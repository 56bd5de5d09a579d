package vbyte1024

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/bytepack"
	"github.com/pinion-index/pinion/format/codec/gapblock"
)

// BlockLen is the number of values in a full block.
const BlockLen = 1024

// Codec is vbyte1024; its zero value is ready.
type Codec struct{ gapblock.Codec[layout] }

var _ codec.BlockCodec = Codec{}

// ID returns codec.VByte1024.
func (Codec) ID() codec.ID { return codec.VByte1024 }

type layout struct{}

func (layout) Len() int { return BlockLen }

func (layout) Size(v []uint32) int {
	return bytepack.SelectorBytes(len(v)) + (bytepack.DataSize(v)+3)&^3
}

func (layout) Append(dst []byte, v []uint32) []byte {
	at, sel := len(dst), bytepack.SelectorBytes(len(v))
	dst = codec.Grow(dst, sel+4*len(v)+3)
	p := dst[at:]
	end := sel + bytepack.Pack(p[:sel], p[sel:], v)
	size := (end + 3) &^ 3
	clear(p[end:size])
	return dst[:at+size]
}

func (layout) Docs(dst []uint32, p []byte, n int, prev uint32) bool {
	sel := bytepack.SelectorBytes(n)
	if len(p) < sel {
		return false
	}
	return gapblock.UnpackBytesDocs(dst, p[:sel], p[sel:], n, prev)
}

func (layout) Freqs(dst []uint32, p []byte, n int) bool {
	sel := bytepack.SelectorBytes(n)
	if len(p) < sel {
		return false
	}
	return gapblock.UnpackBytesFreqs(dst, p[:sel], p[sel:], n)
}
