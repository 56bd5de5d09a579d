package bp32

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/gapblock"
)

// BlockLen is the number of values in a full block, PartLen the number in a part.
const (
	BlockLen = 128
	PartLen  = 32
)

// header is the number of bytes of the widths of a block.
const header = BlockLen / PartLen

// Codec is bp32. The zero value is ready to use.
type Codec struct{ gapblock.Codec[layout] }

var _ codec.BlockCodec = Codec{}

// ID returns codec.BP32.
func (Codec) ID() codec.ID { return codec.BP32 }

type layout struct{}

func (layout) Len() int { return BlockLen }

// partSize returns the number of bytes of a part of m values of width bits.
func partSize(m int, width uint) int { return (m*int(width) + 31) / 32 * 4 }

func (layout) Size(v []uint32) int {
	size := header
	for ; len(v) > 0; v = v[min(PartLen, len(v)):] {
		part := v[:min(PartLen, len(v))]
		size += partSize(len(part), bitpack.Bits(part))
	}
	return size
}

func (layout) Append(dst []byte, v []uint32) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	for k := 0; len(v) > 0; k++ {
		part := v[:min(PartLen, len(v))]
		width := bitpack.Bits(part)
		dst[start+k] = byte(width)
		dst = pack(dst, part, width)
		v = v[len(part):]
	}
	return dst
}

// pack appends values of width bits and pads the last word with zeros.
func pack(dst []byte, v []uint32, width uint) []byte {
	var word uint64
	var used uint
	for _, x := range v {
		word |= uint64(x) << used
		if used += width; used >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(word))
			word >>= 32
			used -= 32
		}
	}
	if used > 0 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(word))
	}
	return dst
}

// smallWidth is the greatest width with which BlockLen gaps sum to at most 2^31.
const smallWidth = 24

func (layout) Docs(dst []uint32, p []byte, n int, prev uint32) (small, ok bool) {
	widest, ok := unpack(dst[:n], p, 0)
	if !ok {
		return false, false
	}
	bitpack.PrefixSum(dst[:n], prev)
	return widest <= smallWidth, true
}

func (layout) Freqs(dst []uint32, p []byte, n int) (small, ok bool) {
	widest, ok := unpack(dst[:n], p, 1)
	return widest < bitpack.MaxWidth, ok
}

// unpack unpacks a block of values, adds plus to each, and returns the largest width of
// its parts. ok is false unless p is exactly one block.
func unpack(dst []uint32, p []byte, plus uint32) (widest uint, ok bool) {
	if len(p) < header {
		return 0, false
	}
	widths, p := binary.LittleEndian.Uint32(p), p[header:]
	for ; len(dst) > 0; widths >>= 8 {
		width, part := uint(widths&255), dst[:min(PartLen, len(dst))]
		size, ok := fits(p, len(part), width)
		if !ok {
			return 0, false
		}
		unpackPart(part, p[:size], width, plus)
		widest = max(widest, width)
		dst, p = dst[len(part):], p[size:]
	}
	return widest, widths == 0 && len(p) == 0
}

// slack is the number of bytes that may be read past a part.
const slack = 8

// fits returns the number of bytes of the part of width bits at the start of p, when
// there are n values left. ok is false if p is too short or the part invalid.
func fits(p []byte, n int, width uint) (size int, ok bool) {
	if n >= PartLen {
		size = PartLen / 8 * int(width)
		return size, width <= 32 && size <= len(p)
	}
	size = partSize(n, width)
	if width > 32 || size > len(p) {
		return 0, false
	}
	tail := uint(n) * width % 32
	return size, tail == 0 || binary.LittleEndian.Uint32(p[size-4:])>>tail == 0
}

// unpackPart unpacks values of width bits from p and adds plus to each.
func unpackPart(dst []uint32, p []byte, width uint, plus uint32) {
	if size := len(p); cap(p) >= size+slack {
		p = p[:size+slack]
	} else {
		var buf [PartLen*4 + slack]byte
		copy(buf[:], p[:size])
		p = buf[:size+slack]
	}
	mask := uint32(1<<width - 1)
	bit := uint(0)
	for i := range dst {
		dst[i] = uint32(binary.LittleEndian.Uint64(p[bit/8:])>>(bit%8))&mask + plus
		bit += width
	}
}
