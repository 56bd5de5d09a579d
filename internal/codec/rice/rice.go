package rice

import (
	"math/bits"

	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/patch"
	"github.com/pinion-index/pinion/internal/codec/internal/unary"
)

const (
	// BlockLen is the number of values in a full block.
	BlockLen = bitpack.BlockLen

	widthBits = 5
	maxWidth  = 1<<widthBits - 1
)

// Codec is rice. The zero value is ready to use.
type Codec struct{}

var _ codec.BlockCodec = Codec{}

// ID returns codec.Rice.
func (Codec) ID() codec.ID { return codec.Rice }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// shape returns b for v and the number of words of the unary part.
func shape(v []uint32) (width, high uint) {
	sum := uint64(0)
	for _, x := range v {
		sum += uint64(x)
	}
	from, to := uint(0), uint(maxWidth)
	if len(v) == BlockLen {
		mean := uint(bits.Len64(sum / BlockLen))
		from, to = max(mean, 2)-2, min(mean, maxWidth)
	}
	least := ^uint(0)
	for b := from; b <= to; b++ {
		quotients := uint64(0)
		for _, x := range v {
			quotients += uint64(x >> b)
		}
		h := uint((widthBits + uint64(len(v)) + quotients + 31) / 32)
		if words := h + 4*uint(bitpack.Vectors(len(v), b)); words < least && h <= unary.MaxWords {
			width, high, least = b, h, words
		}
	}
	return width, high
}

func appendBlock(dst []byte, v []uint32, or uint32) []byte {
	if or == 0 {
		return dst
	}
	width, high := shape(v)
	w := unary.NewWriter(dst, high, widthBits, uint32(width))
	for _, x := range v {
		w.Put(x >> width)
	}
	return bitpack.Pack(w.Bytes(), v, width)
}

// AppendDocsBlock appends a block of docIDs that follow prev.
func (Codec) AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	var gaps [BlockLen]uint32
	or, ok := bitpack.Gaps(gaps[:len(docs)], docs, prev)
	if !ok {
		return dst, codec.CheckDocs(docs, prev)
	}
	return appendBlock(dst, gaps[:len(docs)], or), nil
}

// AppendFreqsBlock appends a block of frequencies.
func (Codec) AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	var less [BlockLen]uint32
	or, ok := bitpack.LessOne(less[:len(freqs)], freqs)
	if !ok {
		return dst, codec.CheckFreqs(freqs)
	}
	return appendBlock(dst, less[:len(freqs)], or), nil
}

// AppendDocs appends a list of docIDs.
func (c Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	return codec.AppendDocsBlocks(c, dst, ends, docs)
}

// AppendFreqs appends a list of frequencies.
func (c Codec) AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error) {
	return codec.AppendFreqsBlocks(c, dst, ends, freqs)
}

// DocsSize returns the number of bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) { return patch.DocsSize(docs, words) }

// FreqsSize returns the number of bytes that AppendFreqs would append.
func (Codec) FreqsSize(freqs []uint32) (int, error) { return patch.FreqsSize(freqs, words) }

func words(v []uint32, or uint32) uint {
	if or == 0 {
		return 0
	}
	width, high := shape(v)
	return high + 4*uint(bitpack.Vectors(len(v), width))
}
