package vbyte1024

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bytepack"
)

// BlockLen is the number of values in a full block.
const BlockLen = 1024

// Codec is vbyte1024; its zero value is ready. It has the shape of a pointer: an
// interface then calls its methods directly, not through wrappers.
type Codec struct{ _ *byte }

var _ codec.BlockCodec = Codec{}

// ID returns codec.VByte1024.
func (Codec) ID() codec.ID { return codec.VByte1024 }

// BlockLen returns 1024.
func (Codec) BlockLen() int { return BlockLen }

// AppendDocsBlock appends a block of docIDs that follow prev.
func (Codec) AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	return bytepack.AppendDocsBlock(dst, docs, prev)
}

// AppendFreqsBlock appends a block of frequencies.
func (Codec) AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	return bytepack.AppendFreqsBlock(dst, freqs)
}

// AppendDocs appends a list of docIDs.
func (c Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	return codec.AppendDocsBlocks(c, dst, ends, docs)
}

// AppendFreqs appends a list of frequencies.
func (c Codec) AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error) {
	return codec.AppendFreqsBlocks(c, dst, ends, freqs)
}

// DocsSize returns the bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) { return bytepack.DocsSize(docs, BlockLen) }

// FreqsSize returns the bytes that AppendFreqs would append.
func (Codec) FreqsSize(freqs []uint32) (int, error) { return bytepack.FreqsSize(freqs, BlockLen) }

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, run, blockDocs)
}

// blockDocs decodes one block.
func blockDocs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	return bytepack.DecodeDocs(dst, s, block, BlockLen)
}

func run(dst []uint32, s *codec.Sequence, block, count int) int {
	return bytepack.DocsRun(dst, s, block, count, BlockLen)
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Codec) DecodeFreqs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, nil, blockFreqs)
}

// blockFreqs decodes one block.
func blockFreqs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	return bytepack.DecodeFreqs(dst, s, block, BlockLen)
}
