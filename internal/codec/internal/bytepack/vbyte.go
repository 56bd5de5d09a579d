package bytepack

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/gapblock"
)

// Size is a type that stands for the number of values in a full block: 128 or 1024.
type Size interface{ Len() int }

// Codec is vbyte128 and vbyte1024, of which package vbyte128 describes the layout: it has
// the methods of a codec.BlockCodec but ID. Its zero value is ready.
type Codec[S Size] struct{ gapblock.Codec[layout[S]] }

// DecodeDocs decodes the docIDs of count blocks from block on.
func (c Codec[S]) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return DecodeDocs(dst, s, block, count, c.BlockLen(), nil)
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (c Codec[S]) DecodeFreqs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return DecodeFreqs(dst, s, block, count, c.BlockLen(), nil)
}

// layout is how a block lies in bytes: selectors, data, and zeros up to a whole word.
type layout[S Size] struct{ size S }

func (l layout[S]) Len() int { return l.size.Len() }

func (layout[S]) Size(v []uint32) int { return SelectorBytes(len(v)) + (DataSize(v)+3)&^3 }

func (layout[S]) Append(dst []byte, v []uint32) []byte {
	at, sel := len(dst), SelectorBytes(len(v))
	dst = codec.Grow(dst, sel+4*len(v)+3)
	p := dst[at:]
	end := sel + Pack(p[:sel], p[sel:], v)
	size := (end + 3) &^ 3
	clear(p[end:size])
	return dst[:at+size]
}

func (layout[S]) Docs(dst []uint32, p []byte, n int, prev uint32) (small, ok bool) {
	k := min(SelectorBytes(n), len(p))
	return true, UnpackDocs(dst[:n], p[:k:k], p[k:], prev)
}

func (layout[S]) Freqs(dst []uint32, p []byte, n int) (small, ok bool) {
	k := min(SelectorBytes(n), len(p))
	return true, UnpackFreqs(dst[:n], p[:k:k], p[k:])
}
