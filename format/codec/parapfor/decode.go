package parapfor

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
)

// noWrap is the widest gap, in bits, of which a block cannot sum to 2^32.
const noWrap = 24

// open returns a block's bytes, its number of values and its header. A block of
// zeros, without words, has low 0.
func open(s *codec.Sequence, block int) (p []byte, n int, h header, low int, err error) {
	p, n, err = s.Block(block, BlockLen)
	if err != nil {
		return nil, 0, h, 0, err
	}
	if uint(n-1) >= BlockLen {
		return nil, 0, h, 0, codec.ErrBlock
	}
	if len(p) == 0 {
		return p, n, h, 0, nil
	}
	h, low, ok := head(p, n)
	if !ok {
		return nil, 0, h, 0, codec.ErrBlock
	}
	return p, n, h, low, nil
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
	p, n, h, low, err := open(s, block)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	prev := s.Prev(block)
	if h.Count == 0 {
		bitpack.UnpackDocs(dst, p[min(headSize, low):], n, h.Width, prev)
	} else if !patch.UnpackListDocs(dst, n, p, headSize, uint(low)*8, h.Plan, h.index, prev) {
		return 0, codec.ErrBlock
	}
	if err := codec.CheckLast(dst[n-1], s.Last[block], prev, n); err != nil {
		return 0, err
	}
	if h.Width+h.Over >= noWrap {
		if err := codec.CheckRise(dst[:n], prev); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// DecodeFreqs decodes the frequencies of count blocks from block on.
func (Codec) DecodeFreqs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
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
	p, n, h, low, err := open(s, block)
	if err != nil {
		return 0, err
	}
	dst = dst[:BlockLen:BlockLen]
	if h.Count == 0 {
		bitpack.UnpackFreqs(dst, p[min(headSize, low):], n, h.Width)
	} else if !patch.UnpackListFreqs(dst, n, p, headSize, uint(low)*8, h.Plan, h.index) {
		return 0, codec.ErrBlock
	}
	if h.Width+h.Over >= bitpack.MaxWidth-1 && codec.CheckFreqs(dst[:n]) != nil {
		return 0, codec.ErrBlock // 2^32 is not a frequency
	}
	return n, nil
}

// Freq returns frequency i without decoding its block.
func (Codec) Freq(s *codec.Sequence, i int) (uint32, error) {
	p, _, h, low, err := open(s, i/BlockLen)
	if err != nil {
		return 0, err
	}
	j := uint(i % BlockLen)
	f := patch.Low(p[min(headSize, low):], h.Width, j) + 1
	if h.Count > 0 {
		f += patch.FindList(p[low:], 0, h.Plan, j, h.index)
	}
	if f == 0 {
		return 0, codec.ErrBlock
	}
	return f, nil
}
