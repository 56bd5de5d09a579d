package simdbp128

import (
	"math/bits"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
)

// BlockLen is the number of values in a full block.
const BlockLen = bitpack.BlockLen

// group is the number of blocks that share a vector of selectors.
const group = 16

// noWrap is the greatest width, in bits, of gaps that cannot sum to 2^32 in a block.
const noWrap = 24

// Codec is simdbp128. The zero value is ready to use.
type Codec struct{ _ *byte }

var _ codec.Grouped = Codec{}

// ID returns codec.SIMDBP128.
func (Codec) ID() codec.ID { return codec.SIMDBP128 }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// Group implements codec.Grouped: blocks share selectors, a byte for each.
func (Codec) Group() (blocks, shared int) { return group, group }

// writer appends the blocks of a list.
type writer struct {
	dst       []byte
	start     int // offset of the list in dst
	selectors int // offset of the group in dst
}

// block appends v as block i. or is the bitwise or of v.
func (w *writer) block(ends []uint32, i int, v []uint32, or uint32) {
	if i%group == 0 {
		w.selectors = len(w.dst)
		w.dst = append(w.dst, make([]byte, group)...)
	}
	width := uint(bits.Len32(or))
	w.dst[w.selectors+i%group] = byte(width)
	w.dst = bitpack.Pack(w.dst, v, width)
	ends[i+1] = uint32((len(w.dst) - w.start) / 4)
}

// AppendDocs appends a list of docIDs.
func (Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	var gaps [BlockLen]uint32
	w, prev := writer{dst: dst, start: len(dst)}, codec.NoDoc
	ends[0] = 0
	for i := 0; i < len(docs); i += BlockLen {
		block := docs[i:min(i+BlockLen, len(docs))]
		or, ok := bitpack.Gaps(gaps[:len(block)], block, prev)
		if !ok {
			return dst, codec.Shift(codec.CheckDocs(block, prev), i)
		}
		w.block(ends, i/BlockLen, gaps[:len(block)], or)
		prev = block[len(block)-1]
	}
	return w.dst, nil
}

// AppendFreqs appends a list of frequencies.
func (Codec) AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error) {
	var less [BlockLen]uint32
	w := writer{dst: dst, start: len(dst)}
	ends[0] = 0
	for i := 0; i < len(freqs); i += BlockLen {
		block := freqs[i:min(i+BlockLen, len(freqs))]
		or, ok := bitpack.LessOne(less[:len(block)], block)
		if !ok {
			return dst, codec.Shift(codec.CheckFreqs(block), i)
		}
		w.block(ends, i/BlockLen, less[:len(block)], or)
	}
	return w.dst, nil
}

// selectorsSize returns the number of bytes of the selectors of a list of n values.
func selectorsSize(n int) int { return codec.Blocks(n, group*BlockLen) * group }

// DocsSize returns the number of bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) {
	var gaps [BlockLen]uint32
	size, prev := selectorsSize(len(docs)), codec.NoDoc
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

// FreqsSize returns the number of bytes that AppendFreqs would append.
func (Codec) FreqsSize(freqs []uint32) (int, error) {
	var less [BlockLen]uint32
	size := selectorsSize(len(freqs))
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
func (Codec) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (n int, err error) {
	for i := 0; i < count; i++ {
		k := bitpack.DocsRun(dst[n:], s, block+i, agree(s, block+i, count-i), BlockLen)
		i, n = i+k, n+k*BlockLen
		if i == count {
			break
		}
		m, err := decodeDocs(dst[n:], s, block+i)
		if err != nil {
			return n, err
		}
		n += m
	}
	return n, nil
}

// agree returns the number of blocks, of count from block on, whose selector equals the
// width given by their endpoints. It stops at the end of the group, and excludes the
// first block of a group, which starts with the selectors, and the last block of the
// list, whose end must be checked.
func agree(s *format.Sequence, block, count int) int {
	k := block % group
	at := uint64(s.Ends[block-k]) * 4
	if k == 0 || at+group > uint64(len(s.Payload)) || s.Ends[0] != 0 {
		return 0
	}
	if count = min(count, group-k, (s.N-1)/BlockLen-block); count <= 0 {
		return 0
	}
	ends := s.Ends[block : block+count+1]
	for i, w := range s.Payload[at:][k : k+count] {
		if ends[i+1]-ends[i] != 4*uint32(w) {
			return i
		}
	}
	return count
}

func decodeDocs(dst []uint32, s *format.Sequence, block int) (int, error) {
	p, n, w, err := parts(s, block)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	prev := codec.Prev(s, block)
	bitpack.UnpackDocs(dst, p, n, w, prev)
	if err := codec.CheckLast(dst[n-1], s.Last[block], prev, n); err != nil {
		return 0, err
	}
	if w > noWrap {
		if err := codec.CheckRise(dst[:n], prev); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Codec) DecodeFreqs(dst []uint32, s *format.Sequence, block, count int) (n int, err error) {
	for i := 0; i < count; i++ {
		k := bitpack.FreqsRun(dst[n:], s, block+i, agree(s, block+i, count-i), BlockLen)
		i, n = i+k, n+k*BlockLen
		if i == count {
			break
		}
		m, err := decodeFreqs(dst[n:], s, block+i)
		if err != nil {
			return n, err
		}
		n += m
	}
	return n, nil
}

func decodeFreqs(dst []uint32, s *format.Sequence, block int) (int, error) {
	p, n, w, err := parts(s, block)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	bitpack.UnpackFreqs(dst, p, n, w)
	if w == bitpack.MaxWidth && codec.CheckFreqs(dst[:n]) != nil {
		return 0, codec.ErrBlock // a frequency cannot be 2^32
	}
	return n, nil
}

// parts returns the vectors of a block, the number of its values and their width.
func parts(s *format.Sequence, block int) (p []byte, n int, width uint, err error) {
	p, n, err = codec.Block(s, block, BlockLen)
	if err != nil {
		return nil, 0, 0, err
	}
	selectors := p
	if block%group == 0 {
		if len(p) >= group {
			p = p[group:]
		}
	} else {
		at := uint64(s.Ends[block-block%group]) * 4
		selectors = s.Payload[min(at, uint64(len(s.Payload))):]
	}
	if uint(n-1) >= BlockLen || len(selectors) < group || s.Ends[0] != 0 {
		return nil, 0, 0, codec.ErrBlock
	}
	width = uint(selectors[block%group])
	if width > bitpack.MaxWidth || bitpack.Size(n, width) != len(p) {
		return nil, 0, 0, codec.ErrBlock
	}
	if block*BlockLen+n == s.N && !tailOK(selectors[block%group+1:group], p, n, width) {
		return nil, 0, 0, codec.ErrBlock
	}
	return p, n, width, nil
}

// StrictDocs implements codec.Strict: a short block may be wider than its values need.
func (Codec) StrictDocs(s *format.Sequence, block int, docs []uint32) error {
	var gaps [BlockLen]uint32
	or, ok := bitpack.Gaps(gaps[:len(docs)], docs, codec.Prev(s, block))
	if !ok {
		return codec.ErrBlock
	}
	return strict(s, block, or)
}

// StrictFreqs is StrictDocs for frequencies.
func (Codec) StrictFreqs(s *format.Sequence, block int, freqs []uint32) error {
	var less [BlockLen]uint32
	or, ok := bitpack.LessOne(less[:len(freqs)], freqs)
	if !ok {
		return codec.ErrBlock
	}
	return strict(s, block, or)
}

// strict checks the width of a block with the given bitwise or of its values.
func strict(s *format.Sequence, block int, or uint32) error {
	_, _, width, err := parts(s, block)
	if err == nil && width != uint(bits.Len32(or)) {
		err = codec.ErrLoose
	}
	return err
}

// tailOK reports whether everything after the last value of a list is zero: the selectors
// of missing blocks and, in a short block, all bits that are not part of a value.
func tailOK(selectors, p []byte, n int, width uint) bool {
	for _, w := range selectors {
		if w != 0 {
			return false
		}
	}
	return bitpack.ZeroTail(p, n, width)
}
