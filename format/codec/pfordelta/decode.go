package pfordelta

import (
	"math/bits"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
)

// noWrap is the widest gap, in bits, of which a block cannot sum to 2^32.
const noWrap = 24

// reader reads the exceptions of a block.
type reader struct {
	arrays []byte // of the list header, two bytes each
	src    []byte // the block, after its low bits
	bit    uint   // next to read
}

func (r *reader) array(i int) array {
	return array{uint(r.arrays[2*i]), uint(r.arrays[2*i+1])}
}

// take moves over n fields of width bits and returns where they begin; false if they
// leave the block.
func (r *reader) take(n, width uint) (bit uint, ok bool) {
	bit = r.bit
	r.bit += n * width
	return bit, width <= 32 && r.bit <= uint(len(r.src))*8
}

// count reads the number of exceptions of array i, of n values.
func (r *reader) count(i int, n uint) (uint, bool) {
	width := r.array(i).count
	bit, ok := r.take(1, width)
	if !ok {
		return 0, false
	}
	c := uint(patch.Get(r.src, bit, width))
	return c, c <= n
}

// few is how many exceptions take small arrays: clearing large ones costs more than
// reading them.
const few = 32

// exceptions reads offsets and overflows of array i, which is depth deep, and adds
// them to dst, its n values' low bits.
func (r *reader) exceptions(dst []uint32, i, depth int, n uint) bool {
	count, ok := r.count(i, n)
	if !ok || count == 0 {
		return ok
	}
	if count <= few {
		var offsets, overflows [few]uint32
		return r.patch(dst, i, depth, n, count, offsets[:], overflows[:])
	}
	return r.many(dst, i, depth, n, count)
}

//go:noinline
func (r *reader) many(dst []uint32, i, depth int, n, count uint) bool {
	var offsets, overflows [BlockLen]uint32
	return r.patch(dst, i, depth, n, count, offsets[:], overflows[:])
}

// patch is exceptions with the room that count of them need.
func (r *reader) patch(dst []uint32, i, depth int, n, count uint, offsets, overflows []uint32) bool {
	if !r.values(offsets, i+1, depth-1, count) || !r.values(overflows, i+1+arrays(depth-1), depth-1, count) {
		return false
	}
	width, at := r.array(i).width, uint32(0)
	overflows = overflows[:count]
	for j, offset := range offsets[:count] {
		at += offset
		if offset >= BlockLen || at >= uint32(n) {
			return false
		}
		dst[at] += (overflows[j] + 1) << (width & 63)
		at++
	}
	return true
}

// values reads n values of array i to dst, which has room for n rounded up to a
// multiple of 16.
func (r *reader) values(dst []uint32, i, depth int, n uint) bool {
	width := r.array(i).width
	bit, ok := r.take(n, width)
	if !ok {
		return false
	}
	patch.Fields(dst[:n], r.src, bit, width)
	return depth == 0 || r.exceptions(dst, i, depth, n)
}

// block is a block taken apart.
type block struct {
	n     int
	depth int
	width uint // b
	low   []byte
	over  uint32 // what overflows, or-ed
	reader
}

func open(s *codec.Sequence, i int) (b block, err error) {
	p, n, err := s.Block(i, BlockLen)
	if err != nil {
		return b, err
	}
	if uint(n-1) >= BlockLen {
		return b, codec.ErrBlock
	}
	if len(s.Payload) < 4 || s.Payload[0] > MaxLevel {
		return b, codec.ErrBlock
	}
	level := int(s.Payload[0])
	if uint64(s.Ends[0]) != uint64(headWords(level)) || len(s.Payload) < headWords(level)*4 {
		return b, codec.ErrEndpoints
	}
	b.n, b.depth, b.arrays = n, level+1, s.Payload[1:]
	b.width = uint(s.Payload[1])
	size := bitpack.Size(n, min(b.width, bitpack.MaxWidth))
	if b.width > bitpack.MaxWidth || len(p) < size {
		return b, codec.ErrBlock
	}
	b.low, b.src = p[:size], p[size:]
	return b, nil
}

// unpack writes the values of the block to dst: docIDs that follow prev, or
// frequencies. It returns false if the exceptions are broken.
func (b *block) unpack(dst []uint32, docs bool, prev uint32) bool {
	count, ok := uint(0), true
	if len(b.src) > 0 {
		count, ok = b.count(0, uint(b.n))
	}
	switch {
	case !ok || count == 0 && len(b.src) > 0:
		return false
	case count > few:
		return b.unpackMany(dst, docs, prev, count)
	case count > 0:
		var positions, overflows [few]uint32
		return b.unpackWith(dst, docs, prev, positions[:count], overflows[:count])
	case docs:
		bitpack.UnpackDocs(dst, b.low, b.n, b.width, prev)
	default:
		bitpack.UnpackFreqs(dst, b.low, b.n, b.width)
	}
	return true
}

//go:noinline
func (b *block) unpackMany(dst []uint32, docs bool, prev uint32, count uint) bool {
	var positions, overflows [BlockLen]uint32
	return b.unpackWith(dst, docs, prev, positions[:count], overflows[:count])
}

// unpackWith is unpack with the room that the exceptions need.
func (b *block) unpackWith(dst []uint32, docs bool, prev uint32, positions, overflows []uint32) bool {
	count := uint(len(positions))
	if !b.values(positions[:cap(positions)], 1, b.depth-1, count) ||
		!b.values(overflows[:cap(overflows)], 1+arrays(b.depth-1), b.depth-1, count) ||
		int(patch.Words(b.bit))*4 != len(b.src) {
		return false
	}
	bitpack.PrefixSum(positions, codec.NoDoc)
	all := uint32(0) // not in b.over: a chain through memory
	for _, over := range overflows {
		all |= over + 1
	}
	b.over = all
	if docs {
		bitpack.Unpack(dst, b.low, b.n, b.width)
	} else {
		bitpack.UnpackFreqs(dst, b.low, b.n, b.width)
	}
	for j, i := range positions {
		if i >= uint32(b.n) {
			return false
		}
		dst[i] += (overflows[j] + 1) << b.width
	}
	if docs {
		bitpack.PrefixSum(dst[:b.n], prev)
	}
	return true
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, nil, decodeDocs)
}

// decodeDocs decodes a block of docIDs.
func decodeDocs(dst []uint32, s *codec.Sequence, i int) (int, error) {
	b, err := open(s, i)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	prev := s.Prev(i)
	if !b.unpack(dst, true, prev) {
		return 0, codec.ErrBlock
	}
	if err := codec.CheckLast(dst[b.n-1], s.Last[i], prev, b.n); err != nil {
		return 0, err
	}
	if b.width+uint(bits.Len32(b.over)) > noWrap {
		if err := codec.CheckRise(dst[:b.n], prev); err != nil {
			return 0, err
		}
	}
	return b.n, nil
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Codec) DecodeFreqs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, nil, decodeFreqs)
}

// decodeFreqs decodes a block of frequencies.
func decodeFreqs(dst []uint32, s *codec.Sequence, i int) (int, error) {
	b, err := open(s, i)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	if !b.unpack(dst, false, 0) {
		return 0, codec.ErrBlock
	}
	if b.width+uint(bits.Len32(b.over)) >= bitpack.MaxWidth && codec.CheckFreqs(dst[:b.n]) != nil {
		return 0, codec.ErrBlock // 2^32 is not a frequency
	}
	return b.n, nil
}
