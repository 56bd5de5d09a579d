package newpfd

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
)

// noWrap is the widest gap, in bits, of which a block cannot sum to 2^32.
const noWrap = 24

// head reads the head of block p of n values. low is the byte at which the low
// bits begin; ok is false unless the block is as long as the head says.
func head(p []byte, n int) (plan patch.Plan, low int, ok bool) {
	if len(p) < 4 {
		return patch.Plan{}, 0, true
	}
	word := uint(binary.LittleEndian.Uint32(p))
	plan.Width = word & (1<<widthBits - 1)
	plan.Count = word >> widthBits & (1<<countBits - 1)
	plan.Over = word >> (widthBits + countBits) & (1<<overBits - 1)
	low = int(headBits+plan.Bits()+31) / 32 * 4
	return plan, low, low+bitpack.Size(n, plan.Width) == len(p) && plan.Width <= bitpack.MaxWidth
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
	plan, low, ok := head(p, n)
	if !ok || uint(n-1) >= BlockLen {
		return 0, codec.ErrBlock
	}
	dst = dst[:BlockLen:BlockLen]
	prev := s.Prev(block)
	if plan.Count == 0 {
		bitpack.UnpackDocs(dst, p[low:], n, plan.Width, prev)
	} else if !patch.UnpackDocs(dst, n, p, low, headBits, plan, prev) {
		return 0, codec.ErrBlock
	}
	if err := codec.CheckLast(dst[n-1], s.Last[block], prev, n); err != nil {
		return 0, err
	}
	if plan.Width+plan.Over >= noWrap {
		if err := codec.CheckRise(dst[:n], prev); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Frequencies) DecodeFreqs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, nil, blockFreqs)
}

// blockFreqs decodes one block.
func blockFreqs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	if freqsBlock(dst, s, block) {
		return BlockLen, nil
	}
	return decodeFreqs(dst, s, block)
}

// decodeFreqs is DecodeFreqs for every block.
func decodeFreqs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	p, n, err := s.Block(block, BlockLen)
	if err != nil {
		return 0, err
	}
	if uint(n-1) >= BlockLen {
		return 0, codec.ErrBlock
	}
	plan, low, ok := head(p, n)
	if !ok {
		return 0, codec.ErrBlock
	}
	dst = dst[:BlockLen:BlockLen]
	if plan.Count == 0 {
		bitpack.UnpackFreqs(dst, p[low:], n, plan.Width)
	} else if !patch.UnpackFreqs(dst, n, p, low, headBits, plan) {
		return 0, codec.ErrBlock
	}
	if plan.Width+plan.Over >= bitpack.MaxWidth-1 && codec.CheckFreqs(dst[:n]) != nil {
		return 0, codec.ErrBlock // 2^32 is not a frequency
	}
	return n, nil
}

// Freq returns frequency i without decoding its block.
func (Frequencies) Freq(s *codec.Sequence, i int) (uint32, error) {
	p, n, err := s.Block(i/BlockLen, BlockLen)
	if err != nil {
		return 0, err
	}
	plan, low, ok := head(p, n)
	if !ok {
		return 0, codec.ErrBlock
	}
	j := uint(i % BlockLen)
	f := patch.Low(p[low:], plan.Width, j) + 1
	if plan.Count > 0 {
		f += patch.Find(p, headBits, plan, j)
	}
	if f == 0 {
		return 0, codec.ErrBlock
	}
	return f, nil
}
