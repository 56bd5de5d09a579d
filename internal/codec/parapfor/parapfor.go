package parapfor

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/patch"
)

// BlockLen is the number of values in a full block.
const BlockLen = patch.BlockLen

// Codec is parapfor. The zero value is ready to use. It has the shape of a pointer, so
// that calls through an interface need no wrapper methods.
type Codec struct{ _ *byte }

var _ codec.BlockCodec = Codec{}

// ID returns codec.ParaPFor.
func (Codec) ID() codec.ID { return codec.ParaPFor }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// AppendDocsBlock appends a block of docIDs that follow prev.
func (Codec) AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	return patch.ParaPFor.AppendDocsBlock(dst, docs, prev)
}

// AppendDocs appends a list of docIDs.
func (c Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	return codec.AppendDocsBlocks(c, dst, ends, docs)
}

// DocsSize returns the number of bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) { return patch.ParaPFor.DocsSize(docs) }

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return patch.ParaPFor.DecodeDocs(dst, s, block, count)
}

// AppendFreqsBlock appends a block of frequencies.
func (Codec) AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	return patch.ParaPFor.AppendFreqsBlock(dst, freqs)
}

// AppendFreqs appends a list of frequencies.
func (c Codec) AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error) {
	return codec.AppendFreqsBlocks(c, dst, ends, freqs)
}

// FreqsSize returns the number of bytes that AppendFreqs would append.
func (Codec) FreqsSize(freqs []uint32) (int, error) { return patch.ParaPFor.FreqsSize(freqs) }

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Codec) DecodeFreqs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return patch.ParaPFor.DecodeFreqs(dst, s, block, count)
}

// StrictDocs implements codec.Strict.
func (Codec) StrictDocs(s *format.Sequence, block int, docs []uint32) error {
	return patch.ParaPFor.StrictDocs(s, block, docs)
}

// StrictFreqs implements codec.Strict.
func (Codec) StrictFreqs(s *format.Sequence, block int, freqs []uint32) error {
	return patch.ParaPFor.StrictFreqs(s, block, freqs)
}
