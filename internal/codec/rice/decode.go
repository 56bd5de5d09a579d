package rice

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/unary"
)

// noWrap is the greatest width of binary parts that cannot make a block, whose quotients
// sum to less than 1024, sum to 2^31, nor a frequency 2^32.
const noWrap = 20

// block is a parsed block. high is empty in a block without words.
type block struct {
	n         int
	width     uint
	high, low []byte
}

func open(s *format.Sequence, i int) (b block, err error) {
	p, n, err := codec.Block(s, i, BlockLen)
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
	b.width = uint(binary.LittleEndian.Uint32(p)) & maxWidth
	high := len(p) - bitpack.Size(n, b.width)
	if high <= 0 || high > unary.MaxWords*4 {
		return b, codec.ErrBlock
	}
	b.high, b.low = p[:high], p[high:]
	return b, nil
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, blockDocs)
}

// blockDocs decodes a block of docIDs.
func blockDocs(dst []uint32, s *format.Sequence, i int) (int, error) {
	b, err := open(s, i)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	prev := codec.Prev(s, i)
	if len(b.high) == 0 {
		for j := range dst {
			dst[j] = prev + 1 + uint32(j)
		}
	} else {
		bitpack.UnpackDocs(dst, b.low, b.n, b.width, prev)
		if !unary.AddSums(dst[:b.n], b.high, widthBits, b.width) {
			return 0, codec.ErrBlock
		}
	}
	if err := codec.CheckLast(dst[b.n-1], s.Last[i], prev, b.n); err != nil {
		return 0, err
	}
	if b.width > noWrap {
		if err := codec.CheckRise(dst[:b.n], prev); err != nil {
			return 0, err
		}
	}
	return b.n, nil
}

// StrictDocs implements codec.Strict. In a full block decoders use all bits.
func (Codec) StrictDocs(s *format.Sequence, block int, docs []uint32) error {
	if len(docs) == BlockLen {
		return nil
	}
	var gaps [BlockLen]uint32
	or, _ := bitpack.Gaps(gaps[:len(docs)], docs, codec.Prev(s, block))
	return strict(s, block, or)
}

// StrictFreqs is StrictDocs for frequencies.
func (Codec) StrictFreqs(s *format.Sequence, block int, freqs []uint32) error {
	if len(freqs) == BlockLen {
		return nil
	}
	var less [BlockLen]uint32
	or, _ := bitpack.LessOne(less[:len(freqs)], freqs)
	return strict(s, block, or)
}

// strict checks a block with the given bitwise or of its values.
func strict(s *format.Sequence, i int, or uint32) error {
	b, err := open(s, i)
	if err == nil && (!bitpack.ZeroTail(b.low, b.n, b.width) || b.width > uint(bits.Len32(or))) {
		err = codec.ErrLoose
	}
	return err
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Codec) DecodeFreqs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, blockFreqs)
}

// blockFreqs decodes a block of frequencies.
func blockFreqs(dst []uint32, s *format.Sequence, i int) (int, error) {
	b, err := open(s, i)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	if len(b.high) == 0 {
		for j := range dst {
			dst[j] = 1
		}
		return b.n, nil
	}
	bitpack.UnpackFreqs(dst, b.low, b.n, b.width)
	if !unary.AddNumbers(dst[:b.n], b.high, widthBits, b.width) {
		return 0, codec.ErrBlock
	}
	if b.width > noWrap && codec.CheckFreqs(dst[:b.n]) != nil {
		return 0, codec.ErrBlock // a frequency cannot be 2^32
	}
	return b.n, nil
}
