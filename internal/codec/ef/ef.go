package ef

import (
	"math/bits"

	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/patch"
	"github.com/pinion-index/pinion/internal/codec/internal/unary"
)

// BlockLen is the number of values in a full block.
const BlockLen = bitpack.BlockLen

// widthBits is the number of bits of the width at the start of a block of frequencies.
const widthBits = 6

// Codec is ef. The zero value is ready to use.
type Codec struct{}

var _ codec.BlockCodec = Codec{}

// ID returns codec.EF.
func (Codec) ID() codec.ID { return codec.EF }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// docsShape returns the width of the low bits of a block of n docIDs whose X is top, and
// the number of words of its unary part. top must not be 0.
func docsShape(n int, top uint32) (width, high uint) {
	if n == BlockLen {
		width = uint(max(0, bits.Len32(top)-8))
		return width, patch.Words(BlockLen + uint(top>>width))
	}
	return shape(n, uint64(top), 0)
}

// shape returns the width of the low bits with which a block of n values is smallest, and
// the number of words of its unary part, if its X is top and its unary part starts after
// head bits.
func shape(n int, top uint64, head uint) (width, high uint) {
	least := ^uint(0)
	for v := uint(0); v <= bitpack.MaxWidth; v++ {
		w := min(bitpack.MaxWidth, 32*v/uint(bitpack.Rows(n)))
		h := patch.Words(head + uint(n) + uint(top>>w))
		if 4*v+h < least {
			width, high, least = w, h, 4*v+h
		}
		if w == bitpack.MaxWidth || 4*v >= least {
			break
		}
	}
	return width, high
}

// AppendDocsBlock appends a block of docIDs that follow prev.
func (Codec) AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	if err := codec.CheckDocs(docs, prev); err != nil {
		return dst, err
	}
	n := len(docs)
	top := docs[n-1] - prev - uint32(n)
	if top == 0 {
		return dst, nil
	}
	width, high := docsShape(n, top)
	var x [BlockLen]uint32
	w := unary.NewWriter(dst, high, 0, 0)
	before := uint32(0)
	for i, d := range docs {
		x[i] = d - prev - 1 - uint32(i)
		w.Put(x[i]>>width - before)
		before = x[i] >> width
	}
	return bitpack.Pack(w.Bytes(), x[:n], width), nil
}

// AppendFreqsBlock appends a block of frequencies.
func (Codec) AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	if err := codec.CheckFreqs(freqs); err != nil {
		return dst, err
	}
	n := len(freqs)
	top := lessOne(freqs)
	if top == 0 {
		return dst, nil
	}
	width, high := shape(n, top, widthBits)
	var low [BlockLen]uint32
	w := unary.NewWriter(dst, high, widthBits, uint32(width))
	sum := uint64(0)
	for i, f := range freqs {
		before := sum >> width
		sum += uint64(f - 1)
		low[i] = uint32(sum)
		w.Put(uint32(sum>>width - before))
	}
	return bitpack.Pack(w.Bytes(), low[:n], width), nil
}

// lessOne returns X of a block of frequencies.
func lessOne(freqs []uint32) uint64 {
	top := uint64(0)
	for _, f := range freqs {
		top += uint64(f - 1)
	}
	return top
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
func (Codec) DocsSize(docs []uint32) (int, error) {
	if err := codec.CheckDocs(docs, codec.NoDoc); err != nil {
		return 0, err
	}
	words, prev := uint(0), codec.NoDoc
	for at := 0; at < len(docs); at += BlockLen {
		n := min(BlockLen, len(docs)-at)
		last := docs[at+n-1]
		if top := last - prev - uint32(n); top != 0 {
			width, high := docsShape(n, top)
			words += high + 4*uint(bitpack.Vectors(n, width))
		}
		prev = last
	}
	return int(words) * 4, nil
}

// FreqsSize returns the number of bytes that AppendFreqs would append.
func (Codec) FreqsSize(freqs []uint32) (int, error) {
	if err := codec.CheckFreqs(freqs); err != nil {
		return 0, err
	}
	words := uint(0)
	for at := 0; at < len(freqs); at += BlockLen {
		n := min(BlockLen, len(freqs)-at)
		if top := lessOne(freqs[at : at+n]); top != 0 {
			width, high := shape(n, top, widthBits)
			words += high + 4*uint(bitpack.Vectors(n, width))
		}
	}
	return int(words) * 4, nil
}
