package seglrc

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/regress"
)

// block is a block taken apart. One of consecutive docIDs has no segment.
type block struct {
	n       int
	prev    uint32
	line    regress.Local
	segment regress.Segment
	plain   bool // consecutive docIDs
}

// open takes block i apart.
func (b *block) open(s *codec.Sequence, i int) error {
	p, n, err := s.Block(i, BlockLen)
	if err != nil {
		return err
	}
	if uint(n-1) >= BlockLen {
		return codec.ErrBlock
	}
	prev, last := s.Prev(i), s.Last[i]
	if err := codec.CheckLast(last, last, prev, n); err != nil {
		return err
	}
	b.n, b.prev, b.plain = n, prev, len(p) == 0
	if b.plain {
		if last-prev != uint32(n) {
			return codec.ErrBlock
		}
		return nil
	}
	if !b.segment.Open(p, n, turnBits) {
		return codec.ErrBlock
	}
	turn := int(int32(b.segment.Extra<<(32-turnBits)) >> (32 - turnBits))
	b.line = line(n, prev+1, last, turn)
	return nil
}

// at returns docID j of the block.
func (b *block) at(j int) uint32 {
	if b.plain {
		return b.prev + 1 + uint32(j)
	}
	return b.line.At(j) + b.segment.At(j)
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, run, blockDocs)
}

// blockDocs decodes one block.
func blockDocs(dst []uint32, s *codec.Sequence, i int) (int, error) {
	if regress.ChordBlock(dst, s, i) {
		return BlockLen, nil
	}
	return decodeDocs(dst, s, i)
}

func run(dst []uint32, s *codec.Sequence, block, count int) int {
	return regress.ChordRun(dst, s, block, min(count, s.N/BlockLen-block))
}

// decodeDocs is DecodeDocs for every block.
func decodeDocs(dst []uint32, s *codec.Sequence, i int) (int, error) {
	var b block
	if err := b.open(s, i); err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	if b.plain {
		for j := range dst {
			dst[j] = b.at(j)
		}
		return b.n, nil
	}
	if !b.segment.Docs(dst, b.line, b.prev) {
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
	return regress.Seek(b.n, b.prev+1, s.Last[i], target, b.at)
}
