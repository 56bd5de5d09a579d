package pfordelta

import (
	"math/bits"
	"sync"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/patch"
)

// noWrap is the greatest width, in bits, of gaps that cannot sum to 2^32 in a block.
const noWrap = 24

// block is a parsed block. Its exceptions are read sequentially from src.
type block struct {
	n      int
	depth  int    // of the array of values
	arrays []byte // from the list header, two bytes each
	width  uint   // b
	low    []byte // the low bits
	src    []byte // what follows them
	bit    uint   // next bit to read
	over   uint32 // bitwise or of the overflows of the values
	room   *room
	used   *used // noted if not nil
}

// room holds the offsets and overflows of an array's exceptions, by the depth of the
// array.
type room [MaxLevel + 2]struct{ offsets, overflows [BlockLen]uint32 }

var rooms = sync.Pool{New: func() any { return new(room) }}

func (b *block) open(s *format.Sequence, i int) error {
	p, n, err := codec.Block(s, i, BlockLen)
	if err != nil {
		return err
	}
	if uint(n-1) >= BlockLen || len(s.Payload) < 4 {
		return codec.ErrBlock
	}
	level := int(s.Payload[0]) // read once: the file may change
	if level > MaxLevel {
		return codec.ErrBlock
	}
	if uint64(s.Ends[0]) != uint64(headWords(level)) || len(s.Payload) < headWords(level)*4 {
		return codec.ErrEndpoints
	}
	b.n, b.depth, b.arrays, b.bit, b.over = n, level+1, s.Payload[1:], 0, 0
	b.width = b.array(0).width
	size := bitpack.Size(n, min(b.width, bitpack.MaxWidth))
	if b.width > bitpack.MaxWidth || len(p) < size {
		return codec.ErrBlock
	}
	b.low, b.src = p[:size], p[size:]
	return nil
}

func (b *block) array(i int) array {
	return array{uint(b.arrays[2*i]), uint(b.arrays[2*i+1])}
}

// take skips n fields of width bits and returns their bit offset. ok is false if they
// extend past the block.
func (b *block) take(n, width uint) (bit uint, ok bool) {
	bit = b.bit
	b.bit += n * width
	return bit, width <= 32 && b.bit <= uint(len(b.src))*8
}

// values reads n values of array i, whose depth is given, to dst.
func (b *block) values(dst *[BlockLen]uint32, i, depth int, n uint) bool {
	width := b.array(i).width
	bit, ok := b.take(n, width)
	if !ok {
		return false
	}
	patch.Fields(dst[:n], b.src, bit, width)
	if b.used != nil {
		b.used[i].or |= or(dst[:n])
	}
	if depth == 0 {
		return true
	}
	count, ok := b.exceptions(i, depth, n)
	return ok && b.add(dst[:n], width, depth, count)
}

// exceptions reads the offsets and overflows of the exceptions among the n values of
// array i to the room of its depth, and returns their number.
func (b *block) exceptions(i, depth int, n uint) (count uint, ok bool) {
	width := b.array(i).count
	bit, ok := b.take(1, width)
	if !ok {
		return 0, false
	}
	count = uint(patch.Get(b.src, bit, width))
	if b.used != nil {
		b.used[i].most = max(b.used[i].most, count)
	}
	if count == 0 || count > n {
		return 0, count == 0
	}
	r := &b.room[depth]
	return count, b.values(&r.offsets, i+1, depth-1, count) &&
		b.values(&r.overflows, i+1+arrays(depth-1), depth-1, count)
}

// add adds count exceptions of an array of the given depth to its values, which are low
// bits of width bits.
func (b *block) add(values []uint32, width uint, depth int, count uint) bool {
	r, at, all := &b.room[depth], uint32(0), uint32(0)
	overflows := r.overflows[:count]
	for j, offset := range r.offsets[:count] {
		at += offset
		if offset >= BlockLen || at >= uint32(len(values)) {
			return false
		}
		over := overflows[j] + 1
		values[at] += over << (width & 63)
		all |= over
		at++
	}
	b.over = all // finally those of the values, which are processed last
	return true
}

// unpack writes the values of the block to dst: docIDs that follow prev, or frequencies.
// It returns false if the exceptions are invalid.
func (b *block) unpack(dst []uint32, docs bool, prev uint32) bool {
	if len(b.src) == 0 {
		if docs {
			bitpack.UnpackDocs(dst, b.low, b.n, b.width, prev)
		} else {
			bitpack.UnpackFreqs(dst, b.low, b.n, b.width)
		}
		return true
	}
	count, ok := b.exceptions(0, b.depth, uint(b.n))
	if !ok || count == 0 || int(patch.Words(b.bit))*4 != len(b.src) {
		return false
	}
	if docs {
		bitpack.Unpack(dst, b.low, b.n, b.width)
	} else {
		bitpack.UnpackFreqs(dst, b.low, b.n, b.width)
	}
	if !b.add(dst[:b.n], b.width, b.depth, count) {
		return false
	}
	if docs {
		bitpack.PrefixSum(dst[:b.n], prev)
	}
	return true
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *format.Sequence, first, count int) (int, error) {
	b := block{room: rooms.Get().(*room)}
	defer rooms.Put(b.room)
	return codec.Rows(dst, s, first, count, BlockLen, b.docs)
}

func (b *block) docs(dst []uint32, s *format.Sequence, i int) (int, error) {
	if err := b.open(s, i); err != nil {
		return 0, err
	}
	prev := codec.Prev(s, i)
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
func (Codec) DecodeFreqs(dst []uint32, s *format.Sequence, first, count int) (int, error) {
	b := block{room: rooms.Get().(*room)}
	defer rooms.Put(b.room)
	return codec.Rows(dst, s, first, count, BlockLen, b.freqs)
}

func (b *block) freqs(dst []uint32, s *format.Sequence, i int) (int, error) {
	if err := b.open(s, i); err != nil {
		return 0, err
	}
	if !b.unpack(dst, false, 0) {
		return 0, codec.ErrBlock
	}
	if b.width+uint(bits.Len32(b.over)) >= bitpack.MaxWidth && codec.CheckFreqs(dst[:b.n]) != nil {
		return 0, codec.ErrBlock // a frequency cannot be 2^32
	}
	return b.n, nil
}
