package varintgb

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/bitpack"
	"github.com/pinion-index/pinion/format/codec/bytepack"
	"github.com/pinion-index/pinion/format/codec/gapblock"
)

// BlockLen is the number of values in a full block.
const BlockLen = 128

// most is the bytes of the longest group.
const most = 1 + 4*4

// Codec is varintgb; its zero value is ready.
type Codec struct{ gapblock.Codec[layout] }

var _ codec.BlockCodec = Codec{}

// ID returns codec.VarintGB.
func (Codec) ID() codec.ID { return codec.VarintGB }

type layout struct{}

func (layout) Len() int { return BlockLen }

func (layout) Size(v []uint32) int { return (bytepack.DataSize(v) + (len(v)+3)/4 + 3) &^ 3 }

func (layout) Append(dst []byte, v []uint32) []byte {
	start, at := len(dst), len(dst)
	dst = codec.Grow(dst, (len(v)+3)/4*most+3)
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
	if !unpack(dst, p, n) {
		return false, false
	}
	bitpack.PrefixSum(dst[:n], prev)
	return false, true // lengths are not looked at again
}

func (layout) Freqs(dst []uint32, p []byte, n int) (small, ok bool) {
	if !unpack(dst, p, n) {
		return false, false
	}
	for i := range dst[:n] {
		dst[i]++
	}
	return false, true
}

var masks = [4]uint32{1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1}

// unpack writes the n values of a block to dst and says whether p is one.
func unpack(dst []uint32, p []byte, n int) bool {
	i := 0
	for ; i+4 <= n && len(p) >= most; i += 4 {
		g, o := p[:most:most], dst[i:i+4:i+4]
		tag := g[0]
		c0, c1, c2, c3 := tag&3, tag>>2&3, tag>>4&3, tag>>6
		a1 := uint(c0) + 2
		a2 := a1 + uint(c1) + 1
		a3 := a2 + uint(c2) + 1
		o[0] = binary.LittleEndian.Uint32(g[1:]) & masks[c0]
		o[1] = binary.LittleEndian.Uint32(g[a1:]) & masks[c1]
		o[2] = binary.LittleEndian.Uint32(g[a2:]) & masks[c2]
		o[3] = binary.LittleEndian.Uint32(g[a3:]) & masks[c3]
		p = p[a3+uint(c3)+1:]
	}
	for ; i < n; i += 4 {
		if len(p) == 0 {
			return false
		}
		tag := p[0]
		p = p[1:]
		for j := i; j < min(i+4, n); j++ {
			c := int(tag & 3)
			tag >>= 2
			if c >= len(p) {
				return false
			}
			x := uint32(0)
			for k := c; k >= 0; k-- {
				x = x<<8 | uint32(p[k])
			}
			dst[j] = x
			p = p[c+1:]
		}
		if n-i < 4 && tag != 0 {
			return false
		}
	}
	return gapblock.ZeroPad(p)
}
