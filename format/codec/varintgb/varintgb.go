package varintgb

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/bytepack"
	"github.com/pinion-index/pinion/format/codec/internal/gapblock"
)

// BlockLen is the number of values in a full block.
const BlockLen = 128

// Codec is varintgb; its zero value is ready.
type Codec struct{ gapblock.Codec[layout] }

var _ codec.BlockCodec = Codec{}

// ID returns codec.VarintGB.
func (Codec) ID() codec.ID { return codec.VarintGB }

// DecodeDocs decodes the docIDs of count blocks from block on.
func (c Codec) DecodeDocs(dst []uint32, s *codec.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, nil, c.blockDocs)
}

// blockDocs decodes one block.
func (c Codec) blockDocs(dst []uint32, s *codec.Sequence, block int) (int, error) {
	if p, n, err := s.Block(block, BlockLen); err == nil && n == BlockLen {
		d, prev := dst[:BlockLen], s.Prev(block)
		n, used, wide := bytepack.DocGroups(d, p, prev)
		if n == BlockLen && wide == 0 && used <= len(p) && gapblock.ZeroPad(p[used:]) &&
			codec.CheckLast(d[BlockLen-1], s.Last[block], prev, BlockLen) == nil {
			return BlockLen, nil
		}
	}
	return c.Codec.DocsBlock(dst, s, block)
}

type layout struct{}

func (layout) Len() int { return BlockLen }

func (layout) Size(v []uint32) int { return (bytepack.DataSize(v) + (len(v)+3)/4 + 3) &^ 3 }

func (layout) Append(dst []byte, v []uint32) []byte {
	start, at := len(dst), len(dst)
	dst = codec.Grow(dst, (len(v)+3)/4*bytepack.GroupMost+3)
	for ; len(v) > 0; v = v[min(4, len(v)):] {
		tag := at
		dst[tag] = 0
		at++
		for j, x := range v[:min(4, len(v))] {
			code := (bits.Len32(x|1) - 1) / 8
			dst[tag] |= byte(code << (2 * j))
			binary.LittleEndian.PutUint32(dst[at:], x)
			at += code + 1
		}
	}
	end := start + (at-start+3)&^3
	clear(dst[at:end])
	return dst[:end]
}

func (layout) Docs(dst []uint32, p []byte, n int, prev uint32) (small, ok bool) {
	i, used, wide := bytepack.DocGroups(dst[:n&^3], p, prev)
	if used > len(p) {
		return false, false
	}
	if i > 0 {
		prev = dst[i-1]
	}
	rest, ok := unpackEnd(dst[i:n], p[used:])
	bitpack.PrefixSum(dst[i:n], prev)
	return wide|rest == 0, ok
}

func (layout) Freqs(dst []uint32, p []byte, n int) (small, ok bool) {
	i, used, wide := bytepack.Groups(dst[:n&^3], p, 1)
	if used > len(p) {
		return false, false
	}
	rest, ok := unpackEnd(dst[i:n], p[used:])
	for j := range dst[i:n] {
		dst[i+j]++
	}
	return wide|rest == 0, ok
}

// unpackEnd writes the values of the last groups of a block to dst, and says whether p
// is such an end. wide is not zero if a value has four bytes.
func unpackEnd(dst []uint32, p []byte) (wide byte, ok bool) {
	for ; len(dst) > 0; dst = dst[min(4, len(dst)):] {
		if len(p) == 0 {
			return 0, false
		}
		tag := p[0]
		wide |= tag & (tag >> 1) & 0x55
		p = p[1:]
		for j := range dst[:min(4, len(dst))] {
			c := int(tag & 3)
			tag >>= 2
			if c >= len(p) {
				return 0, false
			}
			x := uint32(0)
			for k := c; k >= 0; k-- {
				x = x<<8 | uint32(p[k])
			}
			dst[j] = x
			p = p[c+1:]
		}
		if len(dst) < 4 && tag != 0 {
			return 0, false
		}
	}
	return wide, gapblock.ZeroPad(p)
}
