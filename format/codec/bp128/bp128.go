package bp128

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
)

// BlockLen is the number of values in a full block.
const BlockLen = bitpack.BlockLen

// noWrap is the widest gap, in bits, of which a block cannot sum to 2^32.
const noWrap = 24

// Codec is bp128; its zero value is ready. It has the shape of a pointer: an
// interface then calls its methods directly, not through wrappers.
type Codec struct{ _ *byte }

var _ codec.BlockCodec = Codec{}

// ID returns codec.BP128.
func (Codec) ID() codec.ID { return codec.BP128 }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// width returns the width of a block of n values whose largest needs need bits,
// and its length in vectors.
func width(n int, need uint) (w uint, vectors int) {
	v := bitpack.Vectors(n, need)
	if v == 0 {
		return 0, 0
	}
	return min(bitpack.MaxWidth, uint(32*v/bitpack.Rows(n))), v
}

// widthOf is width from the block's bytes; ok is false if it cannot have so many.
func widthOf(size, n int) (w uint, ok bool) {
	v := size / bitpack.VectorSize
	if n == BlockLen {
		return uint(v), v*bitpack.VectorSize == size && v <= bitpack.MaxWidth
	}
	if size == 0 {
		return 0, true
	}
	w = min(bitpack.MaxWidth, uint(32*v/bitpack.Rows(n)))
	return w, bitpack.Size(n, w) == size
}

// AppendDocsBlock appends a block of docIDs that follow prev.
func (Codec) AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	var gaps [BlockLen]uint32
	or, ok := bitpack.Gaps(gaps[:len(docs)], docs, prev)
	if !ok {
		return dst, codec.CheckDocs(docs, prev)
	}
	w, _ := width(len(docs), uint(bits.Len32(or)))
	return bitpack.Pack(dst, gaps[:len(docs)], w), nil
}

// AppendFreqsBlock appends a block of frequencies.
func (Codec) AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error) {
	var less [BlockLen]uint32
	or, ok := bitpack.LessOne(less[:len(freqs)], freqs)
	if !ok {
		return dst, codec.CheckFreqs(freqs)
	}
	w, _ := width(len(freqs), uint(bits.Len32(or)))
	return bitpack.Pack(dst, less[:len(freqs)], w), nil
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
		or, ok := bitpack.Gaps(gaps[:len(block)], block, prev)
		if !ok {
			return 0, codec.Shift(codec.CheckDocs(block, prev), i)
		}
		size += bitpack.Size(len(block), uint(bits.Len32(or)))
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
		or, ok := bitpack.LessOne(less[:len(block)], block)
		if !ok {
			return 0, codec.Shift(codec.CheckFreqs(block), i)
		}
		size += bitpack.Size(len(block), uint(bits.Len32(or)))
	}
	return size, nil
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, run, blockDocs)
}

// blockDocs decodes one block.
func blockDocs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	if docsBlock(dst, s, block) {
		return BlockLen, nil
	}
	return decodeDocs(dst, s, block)
}

func run(dst []uint32, s *codec.Sequence, block, count int) int {
	return docsRun(dst, s, block, min(count, s.N/BlockLen-block))
}

// decodeDocs is DecodeDocs for every block.
func decodeDocs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	p, n, err := s.Block(block, BlockLen)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	w, ok := widthOf(len(p), n)
	if !ok || uint(n-1) >= BlockLen {
		return 0, codec.ErrBlock
	}
	prev := s.Prev(block)
	bitpack.UnpackDocs(dst, p, n, w, prev)
	if err := codec.CheckLast(dst[n-1], s.Last[block], prev, n); err != nil {
		return 0, err
	}
	if w > noWrap {
		if err := codec.CheckRise(dst[:n], prev); err != nil {
			return 0, err
		}
	}
	if n < BlockLen && !tailOK(p, n, w) {
		return 0, codec.ErrBlock
	}
	return n, nil
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Codec) DecodeFreqs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, freqRun, blockFreqs)
}

// blockFreqs decodes one block.
func blockFreqs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	if freqsBlock(dst, s, block) {
		return BlockLen, nil
	}
	return decodeFreqs(dst, s, block)
}

func freqRun(dst []uint32, s *codec.Sequence, block, count int) int {
	return freqsRun(dst, s, block, min(count, s.N/BlockLen-block))
}

// decodeFreqs is DecodeFreqs for every block.
func decodeFreqs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	p, n, err := s.Block(block, BlockLen)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	w, ok := widthOf(len(p), n)
	if !ok || uint(n-1) >= BlockLen {
		return 0, codec.ErrBlock
	}
	bitpack.UnpackFreqs(dst, p, n, w)
	if w == bitpack.MaxWidth && codec.CheckFreqs(dst[:n]) != nil {
		return 0, codec.ErrBlock // 2^32 is not a frequency
	}
	if n < BlockLen && !tailOK(p, n, w) {
		return 0, codec.ErrBlock
	}
	return n, nil
}

// tailOK says whether everything past the n values of a short block is zero:
// the rest of the last row and the bits of every lane past it.
func tailOK(p []byte, n int, w uint) bool {
	var junk uint64
	for i := n; i < 4*bitpack.Rows(n)+4; i++ {
		junk |= bitsFrom(p, uint(i/4)*w, i%4, i >= 4*bitpack.Rows(n), w)
	}
	return junk == 0
}

// bitsFrom returns the w bits of a lane from bit on, or all of its last bits.
func bitsFrom(p []byte, bit uint, lane int, all bool, w uint) uint64 {
	at := int(bit/32)*bitpack.VectorSize + lane*4
	if at >= len(p) {
		return 0
	}
	x := uint64(binary.LittleEndian.Uint32(p[at:]))
	if at += bitpack.VectorSize; at < len(p) {
		x |= uint64(binary.LittleEndian.Uint32(p[at:])) << 32
	}
	x >>= bit % 32
	if !all {
		x &= 1<<w - 1
	}
	return x
}
