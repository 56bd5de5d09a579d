package lrc

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/patch"
	"github.com/pinion-index/pinion/internal/codec/internal/regress"
)

// block is a parsed block.
type block struct {
	n     int
	line  regress.Local
	plan  patch.Plan
	bytes []byte // from its low bits on
	bit   uint   // bit offset of the exceptions
}

// open parses block i.
func (b *block) open(s *format.Sequence, i int) error {
	p, n, err := codec.Block(s, i, BlockLen)
	if err != nil {
		return err
	}
	width, err := listWidth(s)
	if err != nil {
		return err
	}
	if uint(n-1) >= BlockLen {
		return codec.ErrBlock
	}
	if err := codec.CheckLast(s.Last[i], s.Last[i], codec.Prev(s, i), n); err != nil {
		return err
	}
	size := bitpack.Size(n, width)
	if len(p) < size {
		return codec.ErrBlock
	}
	b.n, b.plan.Width = n, width
	b.bytes, b.bit = p, uint(size)*8+patchBits
	b.line = regress.ReadLine(s.Payload).From(i * BlockLen)
	if len(p) > size {
		head := uint(binary.LittleEndian.Uint32(p[size:]))
		b.plan.Count = head & (1<<countBits - 1)
		b.plan.Over = head >> countBits & (1<<overBits - 1)
		if len(p) != int(patch.Words(b.bit+b.plan.Bits()))*4 {
			return codec.ErrBlock
		}
	}
	return nil
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, blockDocs)
}

// blockDocs decodes a block of docIDs.
func blockDocs(dst []uint32, s *format.Sequence, i int) (int, error) {
	var b block
	if err := b.open(s, i); err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	if !regress.Unpack(dst, b.n, b.bytes, 0, b.bit, b.plan) || !b.line.Add(dst[:b.n], codec.Prev(s, i)) {
		return 0, codec.ErrBlock
	}
	if dst[b.n-1] != s.Last[i] {
		return 0, codec.ErrLastDoc
	}
	return b.n, nil
}

// StrictDocs implements codec.Strict. Low bits of the slope may be more than the docIDs need.
func (Codec) StrictDocs(s *format.Sequence, i int, _ []uint32) error {
	var b block
	if err := b.open(s, i); err != nil {
		return err
	}
	low, size := b.bytes, bitpack.Size(b.n, b.plan.Width)
	switch {
	case len(low) > size && (b.plan.Count == 0 || !b.plan.Tight(low, b.bit)),
		!patch.TightLow(low, b.n, b.plan.Width),
		s.N < BlockLen && b.plan.Width < bitpack.MaxWidth && bitpack.Size(b.n, b.plan.Width+1) == size: // see choose
		return codec.ErrLoose
	}
	return nil
}
