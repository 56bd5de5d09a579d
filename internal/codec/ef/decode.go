package ef

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/unary"
)

// docs is a parsed block of docIDs.
type docs struct {
	n         int
	base      uint32 // the smallest possible first docID
	width     uint
	high, low []byte
}

// docsBlock parses a block. In a block without words high and low are empty.
func docsBlock(s *format.Sequence, block int) (b docs, err error) {
	p, n, err := codec.Block(s, block, BlockLen)
	if err != nil {
		return b, err
	}
	if uint(n-1) >= BlockLen {
		return b, codec.ErrBlock
	}
	prev, last := codec.Prev(s, block), s.Last[block]
	if err := codec.CheckLast(last, last, prev, n); err != nil {
		return b, err
	}
	b.n, b.base = n, prev+1
	top := last - prev - uint32(n)
	if top == 0 {
		if len(p) != 0 {
			return b, codec.ErrBlock
		}
		return b, nil
	}
	width, high := docsShape(n, top)
	if int(high)*4+bitpack.Size(n, width) != len(p) || high > unary.MaxWords {
		return b, codec.ErrBlock
	}
	b.width, b.high, b.low = width, p[:high*4], p[high*4:]
	// The last one bit must be that of the last docID in the skip header. So no earlier
	// docID is greater, even by a multiple of 2^32.
	ones := binary.LittleEndian.Uint32(p[high*4-4:])
	if int(high-1)*32+bits.Len32(ones) != n+int(top>>width) {
		return b, codec.ErrBlock
	}
	return b, nil
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, blockDocs)
}

// blockDocs decodes a block of docIDs.
func blockDocs(dst []uint32, s *format.Sequence, block int) (int, error) {
	b, err := docsBlock(s, block)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	if len(b.high) == 0 {
		for i := range dst {
			dst[i] = b.base + uint32(i)
		}
		return b.n, nil
	}
	bitpack.Unpack(dst, b.low, b.n, b.width)
	if !unary.Join(dst[:b.n], b.high, 0, b.width, b.base) {
		return 0, codec.ErrBlock
	}
	if dst[b.n-1] != s.Last[block] {
		return 0, codec.ErrLastDoc
	}
	if b.width == bitpack.MaxWidth { // a decrease by more than 2^31 looks like an increase
		return b.n, codec.CheckRise(dst[:b.n], codec.Prev(s, block))
	}
	return b.n, nil
}

// StrictDocs implements codec.Strict. In a full block decoders use all bits.
func (Codec) StrictDocs(s *format.Sequence, block int, ids []uint32) error {
	if len(ids) == BlockLen {
		return nil
	}
	b, err := docsBlock(s, block)
	if err == nil && !bitpack.ZeroTail(b.low, b.n, b.width) {
		err = codec.ErrLoose
	}
	return err
}

// StrictFreqs is StrictDocs for frequencies.
func (Codec) StrictFreqs(s *format.Sequence, block int, freqs []uint32) error {
	if len(freqs) == BlockLen {
		return nil
	}
	b, err := freqsBlock(s, block)
	if err != nil {
		return err
	}
	widest := min(bitpack.MaxWidth, 32*uint(bitpack.Vectors(b.n, b.width))/uint(bitpack.Rows(b.n))) // see shape
	if b.width != widest || !bitpack.ZeroTail(b.low, b.n, b.width) {
		return codec.ErrLoose
	}
	return nil
}

// freqs is a parsed block of frequencies.
type freqs struct {
	n         int
	width     uint
	high, low []byte
}

func freqsBlock(s *format.Sequence, block int) (b freqs, err error) {
	p, n, err := codec.Block(s, block, BlockLen)
	if err != nil {
		return b, err
	}
	if uint(n-1) >= BlockLen {
		return b, codec.ErrBlock
	}
	b.n = n
	if len(p) == 0 {
		return b, nil
	}
	b.width = uint(binary.LittleEndian.Uint32(p)) & (1<<widthBits - 1)
	high := len(p) - bitpack.Size(n, min(b.width, bitpack.MaxWidth))
	if b.width > bitpack.MaxWidth || high <= 0 || high > unary.MaxWords*4 {
		return b, codec.ErrBlock
	}
	b.high, b.low = p[:high], p[high:]
	return b, nil
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Codec) DecodeFreqs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, blockFreqs)
}

// blockFreqs decodes a block of frequencies.
func blockFreqs(dst []uint32, s *format.Sequence, block int) (int, error) {
	b, err := freqsBlock(s, block)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	if len(b.high) == 0 {
		for i := range dst {
			dst[i] = 1
		}
		return b.n, nil
	}
	bitpack.Unpack(dst, b.low, b.n, b.width)
	if !unary.Differ(dst[:b.n], b.high, widthBits, b.width) {
		return 0, codec.ErrBlock
	}
	return b.n, nil
}
