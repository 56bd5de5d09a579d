package vbyte128

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/bitpack"
	"github.com/pinion-index/pinion/format/codec/bytepack"
)

// BlockLen is the number of values in a full block.
const BlockLen = 128

// Codec is vbyte128; its zero value is ready.
type Codec struct{}

var _ codec.BlockCodec = Codec{}

// ID returns codec.VByte128.
func (Codec) ID() codec.ID { return codec.VByte128 }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// blockSize returns the bytes of a block that holds v.
func blockSize(v []uint32) int {
	return bytepack.SelectorBytes(len(v)) + (bytepack.DataSize(v)+3)&^3
}

func appendBlock(dst []byte, v []uint32) []byte {
	at, sel := len(dst), bytepack.SelectorBytes(len(v))
	dst = codec.Grow(dst, sel+4*len(v)+3)
	p := dst[at:]
	end := sel + bytepack.Pack(p[:sel], p[sel:], v)
	size := (end + 3) &^ 3
	clear(p[end:size])
	return dst[:at+size]
}

// AppendDocsBlock appends a block of docIDs that follow prev.
func (Codec) AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	var gaps [BlockLen]uint32
	if _, ok := bitpack.Gaps(gaps[:len(docs)], docs, prev); !ok {
		return dst, codec.CheckDocs(docs, prev)
	}
	return appendBlock(dst, gaps[:len(docs)]), nil
}

// AppendFreqsBlock appends a block of frequencies.
func (Codec) AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	var less [BlockLen]uint32
	if _, ok := bitpack.LessOne(less[:len(freqs)], freqs); !ok {
		return dst, codec.CheckFreqs(freqs)
	}
	return appendBlock(dst, less[:len(freqs)]), nil
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
func (Codec) DocsSize(docs []uint32) (int, error) {
	var gaps [BlockLen]uint32
	size, prev := 0, codec.NoDoc
	for i := 0; i < len(docs); i += BlockLen {
		block := docs[i:min(i+BlockLen, len(docs))]
		if _, ok := bitpack.Gaps(gaps[:len(block)], block, prev); !ok {
			return 0, codec.Shift(codec.CheckDocs(block, prev), i)
		}
		size += blockSize(gaps[:len(block)])
		prev = block[len(block)-1]
	}
	return size, nil
}

// FreqsSize returns the bytes that AppendFreqs would append.
func (Codec) FreqsSize(freqs []uint32) (int, error) {
	var less [BlockLen]uint32
	size := 0
	for i := 0; i < len(freqs); i += BlockLen {
		block := freqs[i:min(i+BlockLen, len(freqs))]
		if _, ok := bitpack.LessOne(less[:len(block)], block); !ok {
			return 0, codec.Shift(codec.CheckFreqs(block), i)
		}
		size += blockSize(less[:len(block)])
	}
	return size, nil
}

// DecodeDocs writes the docIDs of one block to dst.
func (Codec) DecodeDocs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	sel, data, n, err := parts(s, block)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	prev := s.Prev(block)
	data, ok := trim(data, sel, n)
	if !ok || !bytepack.UnpackDocs(dst, sel, data, n, prev) {
		return 0, codec.ErrBlock
	}
	if err := codec.CheckLast(dst[n-1], s.Last[block], prev, n); err != nil {
		return 0, err
	}
	return n, codec.CheckRise(dst[:n], prev)
}

// DecodeFreqs writes the frequencies of one block to dst.
func (Codec) DecodeFreqs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	sel, data, n, err := parts(s, block)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	data, ok := trim(data, sel, n)
	if !ok || !bytepack.UnpackFreqs(dst, sel, data, n) || codec.CheckFreqs(dst[:n]) != nil {
		return 0, codec.ErrBlock
	}
	return n, nil
}

// parts cuts a block into selectors and data.
func parts(s *codec.Sequence, block int) (sel, data []byte, n int, err error) {
	p, n, err := s.Block(block, BlockLen)
	if err != nil {
		return nil, nil, 0, err
	}
	k := bytepack.SelectorBytes(n)
	if uint(n-1) >= BlockLen || len(p) < k {
		return nil, nil, 0, codec.ErrBlock
	}
	return p[:k], p[k:], n, nil
}

// trim cuts the padding off data and says whether it is what it must be.
func trim(data, sel []byte, n int) ([]byte, bool) {
	used := bytepack.DataLen(sel, n)
	if used > len(data) || len(data)-used > 3 {
		return nil, false
	}
	for _, b := range data[used:] {
		if b != 0 {
			return nil, false
		}
	}
	return data[:used], true
}
