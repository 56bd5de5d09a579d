package lrc

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
	"github.com/pinion-index/pinion/format/codec/internal/regress"
)

// block is a block taken apart.
type block struct {
	n     int
	line  regress.Local
	plan  patch.Plan
	bytes []byte // from its low bits on
	bit   uint   // bit at which the exceptions begin
}

// open takes block i apart.
func (b *block) open(s *codec.Sequence, i int) error {
	p, n, err := s.Block(i, BlockLen)
	if err != nil {
		return err
	}
	width, err := Width(s)
	if err != nil {
		return err
	}
	if uint(n-1) >= BlockLen {
		return codec.ErrBlock
	}
	if err := codec.CheckLast(s.Last[i], s.Last[i], s.Prev(i), n); err != nil {
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

// at returns docID j of the block.
func (b *block) at(j int) uint32 {
	d := b.line.At(j) + patch.Low(b.bytes, b.plan.Width, uint(j))
	if b.plan.Count > 0 {
		d += patch.Find(b.bytes, b.bit, b.plan, uint(j))
	}
	return d
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, nil, blockDocs)
}

// blockDocs decodes one block.
func blockDocs(dst []uint32, s *codec.Sequence, i int) (int, error) {
	if docsBlock(dst, s, i) {
		return BlockLen, nil
	}
	return decodeDocs(dst, s, i)
}

// decodeDocs is DecodeDocs for every block.
func decodeDocs(dst []uint32, s *codec.Sequence, i int) (int, error) {
	var b block
	if err := b.open(s, i); err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	if !b.line.Unpack(dst, b.n, b.bytes, 0, b.bit, b.plan, s.Prev(i)) {
		return 0, codec.ErrBlock
	}
	if dst[b.n-1] != s.Last[i] {
		return 0, codec.ErrLastDoc
	}
	return b.n, nil
}

// Doc returns docID i without decoding its block.
func (Codec) Doc(s *codec.Sequence, i int) (uint32, error) {
	var b block
	if err := b.open(s, i/BlockLen); err != nil {
		return 0, err
	}
	return b.at(i % BlockLen), nil
}

// SeekGEQ returns the least index in block i whose docID is at least target, and
// that docID.
func (Codec) SeekGEQ(s *codec.Sequence, i int, target uint32) (int, uint32, error) {
	var b block
	if err := b.open(s, i); err != nil {
		return 0, 0, err
	}
	return regress.Seek(b.n, s.Prev(i)+1, s.Last[i], target, b.at)
}
