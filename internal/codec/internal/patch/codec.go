package patch

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
)

// BlockLen is the number of values in a full block.
const BlockLen = bitpack.BlockLen

// noWrap is the least number of bits of a gap with which a block may sum to 2^32.
const noWrap = 24

// AppendDocsBlock appends a block of docIDs that follow prev.
func (f Form) AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	var gaps [BlockLen]uint32
	or, ok := bitpack.Gaps(gaps[:len(docs)], docs, prev)
	if !ok {
		return dst, codec.CheckDocs(docs, prev)
	}
	return f.append(dst, gaps[:len(docs)], or), nil
}

// AppendFreqsBlock appends a block of frequencies.
func (f Form) AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	var less [BlockLen]uint32
	or, ok := bitpack.LessOne(less[:len(freqs)], freqs)
	if !ok {
		return dst, codec.CheckFreqs(freqs)
	}
	return f.append(dst, less[:len(freqs)], or), nil
}

// DocsSize returns the bytes of a list of docIDs.
func (f Form) DocsSize(docs []uint32) (int, error) { return DocsSize(docs, f.words) }

// FreqsSize returns the bytes of a list of frequencies.
func (f Form) FreqsSize(freqs []uint32) (int, error) { return FreqsSize(freqs, f.words) }

// DecodeDocs decodes the docIDs of count blocks from block on.
func (f Form) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, f.decodeDocs)
}

func (f Form) decodeDocs(dst []uint32, s *format.Sequence, block int) (int, error) {
	p, n, err := codec.Block(s, block, BlockLen)
	if err != nil {
		return 0, err
	}
	var l layout
	prev := codec.Prev(s, block)
	if !l.open(f, p, n) || uint(n-1) >= BlockLen || !l.unpack(dst, n, p, docs, prev) {
		return 0, codec.ErrBlock
	}
	if err := codec.CheckLast(dst[n-1], s.Last[block], prev, n); err != nil {
		return 0, err
	}
	if l.Width+l.Over >= noWrap {
		if err := codec.CheckRise(dst[:n], prev); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (f Form) DecodeFreqs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, f.decodeFreqs)
}

func (f Form) decodeFreqs(dst []uint32, s *format.Sequence, block int) (int, error) {
	p, n, err := codec.Block(s, block, BlockLen)
	if err != nil {
		return 0, err
	}
	var l layout
	if !l.open(f, p, n) || uint(n-1) >= BlockLen || !l.unpack(dst, n, p, freqs, 0) {
		return 0, codec.ErrBlock
	}
	if l.Width+l.Over >= bitpack.MaxWidth-1 && codec.CheckFreqs(dst[:n]) != nil {
		return 0, codec.ErrBlock // 2^32 is not a frequency
	}
	return n, nil
}
