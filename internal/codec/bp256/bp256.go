package bp256

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/bitblock"
)

// BlockLen is the number of values in a full block.
const BlockLen = 256

// Codec is bp256. The zero value is ready to use. It has the shape of a pointer, so
// that calls through an interface need no wrapper methods.
type Codec struct{ _ *byte }

var _ codec.BlockCodec = Codec{}

// ID returns codec.BP256.
func (Codec) ID() codec.ID { return codec.BP256 }

// BlockLen returns 256.
func (Codec) BlockLen() int { return BlockLen }

// AppendDocsBlock appends a block of docIDs that follow prev.
func (Codec) AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	return bitblock.AppendDocsBlock(dst, docs, prev)
}

// AppendFreqsBlock appends a block of frequencies.
func (Codec) AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	return bitblock.AppendFreqsBlock(dst, freqs)
}

// AppendDocs appends a list of docIDs.
func (Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	return bitblock.AppendDocs(dst, ends, docs, BlockLen)
}

// AppendFreqs appends a list of frequencies.
func (Codec) AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error) {
	return bitblock.AppendFreqs(dst, ends, freqs, BlockLen)
}

// DocsSize returns the number of bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) { return bitblock.DocsSize(docs, BlockLen) }

// FreqsSize returns the number of bytes that AppendFreqs would append.
func (Codec) FreqsSize(freqs []uint32) (int, error) { return bitblock.FreqsSize(freqs, BlockLen) }

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return bitblock.DecodeDocs(dst, s, block, count, BlockLen)
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Codec) DecodeFreqs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return bitblock.DecodeFreqs(dst, s, block, count, BlockLen)
}
