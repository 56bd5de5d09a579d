package colblock

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/internal/bitpack"
)

// row is how many numbers are packed together.
const row = bitpack.BlockLen

// packedSize returns the bytes of n numbers of width bits: rows of 128 numbers, and one with the
// rest. Those of more than 32 bits are in two parts, first the low 32 bits of all.
func packedSize(n int, width uint) int64 {
	if width > 32 {
		return packedSize(n, 32) + packedSize(n, width-32)
	}
	return int64(n/row)*int64(width)*bitpack.VectorSize + int64(bitpack.Size(n%row, width))
}

// appendPacked appends v with width bits each.
func appendPacked(dst []byte, v []uint64, width uint) []byte {
	var buf [row]uint32
	for from, shift := uint(0), uint(0); from < width; from, shift = from+32, 32 {
		for i := 0; i < len(v); i += row {
			part := v[i:min(i+row, len(v))]
			for j, x := range part {
				buf[j] = uint32(x >> shift)
			}
			dst = bitpack.Pack(dst, buf[:len(part)], min(width-from, 32))
		}
	}
	return dst
}

// packed are n numbers of width bits. b has packedSize(n, width) bytes.
type packed struct {
	b     []byte
	n     int
	width uint
}

// parts returns the low 32 bits of all numbers, and the others, of more than 32 bits.
func (p packed) parts() (low, high packed) {
	at := packedSize(p.n, 32)
	return packed{p.b[:at], p.n, 32}, packed{p.b[at:], p.n, p.width - 32}
}

// at returns number i.
func (p packed) at(i int) uint64 {
	if p.width > 32 {
		low, high := p.parts()
		return low.at(i) | high.at(i)<<32
	}
	r := i / row
	b := p.b[r*int(p.width)*bitpack.VectorSize:]
	i %= row
	bit := uint(i/4) * p.width
	at := int(bit/32)*bitpack.VectorSize + i%4*4
	if p.width == 0 {
		return 0
	}
	x := uint64(binary.LittleEndian.Uint32(b[at:]))
	if bit%32+p.width > 32 {
		x |= uint64(binary.LittleEndian.Uint32(b[at+bitpack.VectorSize:])) << 32
	}
	return x >> (bit % 32) & (1<<p.width - 1)
}

// row returns the numbers of row r.
func (p packed) row(r int) packed {
	return packed{p.b[r*int(p.width)*bitpack.VectorSize:], min(row, p.n-r*row), p.width}
}

// row32 decodes row r of numbers of up to 32 bits into dst, and returns how many there are.
func (p packed) row32(dst *[row]uint32, r int) int {
	n := min(row, p.n-r*row)
	if p.width == 0 {
		clear(dst[:n])
		return n
	}
	bitpack.Unpack(dst[:], p.b[r*int(p.width)*bitpack.VectorSize:], n, p.width)
	return n
}

// each calls f for each row with its numbers. They are valid until f returns.
func (p packed) each(f func(first int, v []uint64)) {
	var low, high [row]uint32
	var v [row]uint64
	l, h := p, packed{}
	if p.width > 32 {
		l, h = p.parts()
	}
	for r := 0; r*row < p.n; r++ {
		n := l.row32(&low, r)
		for i, x := range low[:n] {
			v[i] = uint64(x)
		}
		if h.width > 0 {
			h.row32(&high, r)
			for i, x := range high[:n] {
				v[i] |= uint64(x) << 32
			}
		}
		f(r*row, v[:n])
	}
}
