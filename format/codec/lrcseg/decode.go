package lrcseg

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/regress"
)

// block is a block taken apart.
type block struct {
	n       int
	line    regress.Local
	segment regress.Segment
}

// open takes block i apart.
func (b *block) open(s *codec.Sequence, i int) error {
	p, n, err := s.Block(i, BlockLen)
	if err != nil {
		return err
	}
	if s.Ends[0] != regress.LineSize/4 || len(s.Payload) < regress.LineSize {
		return codec.ErrEndpoints
	}
	if uint(n-1) >= BlockLen {
		return codec.ErrBlock
	}
	if err := codec.CheckLast(s.Last[i], s.Last[i], s.Prev(i), n); err != nil {
		return err
	}
	if !b.segment.Open(p, n, 0) {
		return codec.ErrBlock
	}
	b.n, b.line = n, regress.ReadLine(s.Payload).From(i*BlockLen)
	return nil
}

// at returns docID j of the block.
func (b *block) at(j int) uint32 { return b.line.At(j) + b.segment.At(j) }

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, run, blockDocs)
}

// blockDocs decodes one block.
func blockDocs(dst []uint32, s *codec.Sequence, i int) (int, error) {
	if regress.ListBlock(dst, s, i) {
		return BlockLen, nil
	}
	return decodeDocs(dst, s, i)
}

func run(dst []uint32, s *codec.Sequence, block, count int) int {
	return regress.ListRun(dst, s, block, min(count, s.N/BlockLen-block))
}

// decodeDocs is DecodeDocs for every block.
func decodeDocs(dst []uint32, s *codec.Sequence, i int) (int, error) {
	var b block
	if err := b.open(s, i); err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	if !b.segment.Docs(dst, b.line, s.Prev(i)) {
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
