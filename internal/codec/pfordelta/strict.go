package pfordelta

import (
	"math/bits"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/patch"
)

// used is what the blocks of a list have in each of its arrays.
type used [2<<(MaxLevel+1) - 1]struct {
	or   uint32 // bitwise or of the fields
	most uint   // exceptions in a block
}

// StrictDocs implements codec.Strict.
func (Codec) StrictDocs(s *format.Sequence, i int, docs []uint32) error { return strict(s, i) }

// StrictFreqs is StrictDocs for frequencies.
func (Codec) StrictFreqs(s *format.Sequence, i int, freqs []uint32) error { return strict(s, i) }

// strict checks the unused bits of block i and, with block 0, the list header.
func strict(s *format.Sequence, i int) error {
	b := block{room: rooms.Get().(*room)}
	defer rooms.Put(b.room)
	if i == 0 {
		if err := b.header(s); err != nil {
			return err
		}
	}
	if err := b.open(s, i); err != nil {
		return err
	}
	if len(b.src) > 0 {
		if _, ok := b.exceptions(0, b.depth, uint(b.n)); !ok {
			return codec.ErrBlock
		}
	}
	if patch.Get(b.src, b.bit, -b.bit%32) != 0 || !patch.TightLow(b.low, b.n, b.width) {
		return codec.ErrLoose
	}
	return nil
}

// header checks the list header against all blocks: no count, and no field of an array without
// exceptions, may have more bits than the largest needs.
func (b *block) header(s *format.Sequence) error {
	b.used = new(used)
	defer func() { b.used = nil }()
	for i := range codec.Blocks(s.N, BlockLen) {
		if err := b.open(s, i); err != nil {
			return err
		}
		if len(b.src) > 0 {
			if _, ok := b.exceptions(0, b.depth, uint(b.n)); !ok {
				return codec.ErrBlock
			}
		}
		var low [BlockLen]uint32
		bitpack.Unpack(low[:], b.low, b.n, b.width)
		b.used[0].or |= or(low[:b.n])
	}
	n := arrays(b.depth)
	for i := range n {
		a, u := b.array(i), &b.used[i]
		if a.count != uint(bits.Len(u.most)) || u.most == 0 && a.width != uint(bits.Len32(u.or)) {
			return codec.ErrLoose
		}
	}
	for _, pad := range b.arrays[2*n : headWords(b.depth-1)*4-1] {
		if pad != 0 {
			return codec.ErrLoose
		}
	}
	return nil
}
