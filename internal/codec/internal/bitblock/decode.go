package bitblock

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
)

// noWrap is the greatest width, in bits, of gaps that cannot sum to more than 2^32 in a
// block.
const noWrap = 24

// DecodeDocs implements codec.Codec.
func DecodeDocs(dst []uint32, s *format.Sequence, block, count, size int) (n int, err error) {
	for i := 0; i < count; i++ {
		k := bitpack.DocsRun(dst[n:], s, block+i, full(s, block+i, count-i, size), size)
		i, n = i+k, n+k*size
		if i == count {
			break
		}
		m, err := docsBlock(dst[n:n+size:n+size], s, block+i, size)
		if err != nil {
			return n, err
		}
		n += m
	}
	return n, nil
}

// DecodeFreqs implements codec.Codec.
func DecodeFreqs(dst []uint32, s *format.Sequence, block, count, size int) (n int, err error) {
	for i := 0; i < count; i++ {
		k := bitpack.FreqsRun(dst[n:], s, block+i, full(s, block+i, count-i, size), size)
		i, n = i+k, n+k*size
		if i == count {
			break
		}
		m, err := freqsBlock(dst[n:n+size:n+size], s, block+i, size)
		if err != nil {
			return n, err
		}
		n += m
	}
	return n, nil
}

// full returns how many of count blocks from block on are full: all except the last of
// the list.
func full(s *format.Sequence, block, count, size int) int {
	if (block+count)*size > s.N {
		count--
	}
	return count
}

// docsBlock decodes any block to dst, which has size elements.
func docsBlock(dst []uint32, s *format.Sequence, block, size int) (int, error) {
	p, n, err := codec.Block(s, block, size)
	if err != nil {
		return 0, err
	}
	if uint(n-1) >= uint(len(dst)) {
		return 0, codec.ErrBlock
	}
	w, ok := width(len(p), n)
	if !ok {
		return 0, codec.ErrBlock
	}
	prev := codec.Prev(s, block)
	bitpack.UnpackDocs(dst, p, min(n, bitpack.BlockLen), w, prev)
	if n > bitpack.BlockLen {
		bitpack.UnpackDocs(dst[bitpack.BlockLen:], p[w*bitpack.VectorSize:], n-bitpack.BlockLen, w, dst[bitpack.BlockLen-1])
	}
	if err := codec.CheckLast(dst[n-1], s.Last[block], prev, n); err != nil {
		return 0, err
	}
	if w > noWrap {
		if err := codec.CheckRise(dst[:n], prev); err != nil {
			return 0, err
		}
	}
	if n < size && !bitpack.ZeroTail(p, n, w) {
		return 0, codec.ErrBlock
	}
	return n, nil
}

// freqsBlock is like docsBlock for frequencies.
func freqsBlock(dst []uint32, s *format.Sequence, block, size int) (int, error) {
	p, n, err := codec.Block(s, block, size)
	if err != nil {
		return 0, err
	}
	if uint(n-1) >= uint(len(dst)) {
		return 0, codec.ErrBlock
	}
	w, ok := width(len(p), n)
	if !ok {
		return 0, codec.ErrBlock
	}
	bitpack.UnpackFreqs(dst, p, min(n, bitpack.BlockLen), w)
	if n > bitpack.BlockLen {
		bitpack.UnpackFreqs(dst[bitpack.BlockLen:], p[w*bitpack.VectorSize:], n-bitpack.BlockLen, w)
	}
	if w == bitpack.MaxWidth && codec.CheckFreqs(dst[:n]) != nil {
		return 0, codec.ErrBlock // a frequency cannot be 2^32
	}
	if n < size && !bitpack.ZeroTail(p, n, w) {
		return 0, codec.ErrBlock
	}
	return n, nil
}
