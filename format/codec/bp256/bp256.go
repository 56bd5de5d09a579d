package bp256

import (
	"bytes"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/gapblock"
)

// BlockLen is the number of values in a full block.
const BlockLen = 256

// half is how many values package bitpack takes at a time.
const half = bitpack.BlockLen

// Codec is bp256; its zero value is ready.
type Codec struct{ gapblock.Codec[layout] }

var _ codec.BlockCodec = Codec{}

// ID returns codec.BP256.
func (Codec) ID() codec.ID { return codec.BP256 }

// DecodeDocs decodes the docIDs of count blocks from block on.
func (c Codec) DecodeDocs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, run, c.blockDocs)
}

// blockDocs decodes one block.
func (c Codec) blockDocs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	if bitpack.DocsBlock(dst, s, block, BlockLen) {
		return BlockLen, nil
	}
	return c.Codec.DocsBlock(dst, s, block)
}

func run(dst []uint32, s *codec.Sequence, block, count int) int {
	return docsRun(dst, s, block, min(count, s.N/BlockLen-block))
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (c Codec) DecodeFreqs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, freqRun, c.blockFreqs)
}

// blockFreqs decodes one block.
func (c Codec) blockFreqs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	if freqsBlock(dst, s, block) {
		return BlockLen, nil
	}
	return c.Codec.FreqsBlock(dst, s, block)
}

func freqRun(dst []uint32, s *codec.Sequence, block, count int) int {
	return freqsRun(dst, s, block, min(count, s.N/BlockLen-block))
}

type layout struct{}

func (layout) Len() int { return BlockLen }

func (layout) Size(v []uint32) int { return bitpack.Size(len(v), bitpack.Bits(v)) }

// width returns the width of n values in size bytes; ok is false if they cannot
// take so many.
func width(size, n int) (w uint, ok bool) {
	v := size / bitpack.VectorSize
	w = min(bitpack.MaxWidth, uint(32*v/bitpack.Rows(n)))
	return w, bitpack.Size(n, w) == size
}

func (l layout) Append(dst []byte, v []uint32) []byte {
	w, _ := width(l.Size(v), len(v))
	return pack(dst, v, w)
}

func pack(dst []byte, v []uint32, w uint) []byte {
	dst = bitpack.Pack(dst, v[:min(half, len(v))], w)
	if len(v) > half {
		dst = bitpack.Pack(dst, v[half:], w)
	}
	return dst
}

// smallWidth is the width of BlockLen gaps that sum up to at most 2^31.
const smallWidth = 23

func (layout) Docs(dst []uint32, p []byte, n int, prev uint32) (small, ok bool) {
	w, ok := width(len(p), n)
	if !ok {
		return false, false
	}
	bitpack.UnpackDocs(dst, p, min(half, n), w, prev)
	if n > half {
		bitpack.UnpackDocs(dst[half:], p[w*bitpack.VectorSize:], n-half, w, dst[half-1])
	}
	return w <= smallWidth, n == BlockLen || tailOK(p, n, w)
}

func (layout) Freqs(dst []uint32, p []byte, n int) (small, ok bool) {
	w, ok := width(len(p), n)
	if !ok {
		return false, false
	}
	bitpack.UnpackFreqs(dst, p, min(half, n), w)
	if n > half {
		bitpack.UnpackFreqs(dst[half:], p[w*bitpack.VectorSize:], n-half, w)
	}
	return w < bitpack.MaxWidth, n == BlockLen || tailOK(p, n, w)
}

// tailOK says whether what has no value in a short block is zero: packing the
// values again gives the same bytes.
func tailOK(p []byte, n int, w uint) bool {
	var v [BlockLen]uint32
	var again [BlockLen * 4]byte
	bitpack.Unpack(v[:half], p, min(half, n), w)
	if n > half {
		bitpack.Unpack(v[half:], p[w*bitpack.VectorSize:], n-half, w)
	}
	return bytes.Equal(pack(again[:0], v[:n], w), p)
}
