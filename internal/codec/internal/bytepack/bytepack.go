package bytepack

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/internal/codec/internal/gapblock"
)

// step is the number of values that vector instructions decode at a time: selectors come,
// and destinations are written, in whole steps.
const step = 16

// SelectorBytes returns the number of bytes that the selectors of n values take, a multiple
// of 4.
func SelectorBytes(n int) int { return (n + step - 1) / step * 4 }

// DataSize returns the number of data bytes that v takes.
func DataSize(v []uint32) int {
	size := len(v)
	for _, x := range v {
		size += int(code(x))
	}
	return size
}

// code returns the selector of x: its length in bytes, less one.
func code(x uint32) uint { return uint(bits.Len32(x|1)-1) / 8 }

// Pack writes the selectors of v to sel, which must be SelectorBytes(len(v)) long,
// and its bytes to data, which must have 4*len(v)+3 bytes. It returns the number of data
// bytes used; those after them may be overwritten.
func Pack(sel, data []byte, v []uint32) int {
	clear(sel[len(v)/4:])
	first, at := packVectors(sel, data, v)
	for i := first / 4; i < len(v)/4; i++ {
		var n int
		sel[i], n = packQuad(data[at:], v[4*i:])
		at += n
	}
	for i := len(v) &^ 3; i < len(v); i++ {
		c := code(v[i])
		sel[i/4] |= byte(c << (i % 4 * 2))
		binary.LittleEndian.PutUint32(data[at:], v[i])
		at += int(c) + 1
	}
	return at
}

// packQuad writes four values to data, which has room for 19 bytes, and returns their
// selectors and the number of bytes that they take.
func packQuad(data []byte, v []uint32) (sel byte, n int) {
	q, d := (*[4]uint32)(v), (*[16 + 3]byte)(data)
	c0, c1, c2, c3 := code(q[0]), code(q[1]), code(q[2]), code(q[3])
	binary.LittleEndian.PutUint32(d[:], q[0])
	at := c0 + 1
	binary.LittleEndian.PutUint32(d[at&15:], q[1])
	at += c1 + 1
	binary.LittleEndian.PutUint32(d[at&15:], q[2])
	at += c2 + 1
	binary.LittleEndian.PutUint32(d[at&15:], q[3])
	return byte(c0 | c1<<2 | c2<<4 | c3<<6), int(at + c3 + 1)
}

// UnpackFreqs writes the len(dst) values with the given selectors and data to dst, each plus
// one. Selectors are SelectorBytes(len(dst)) bytes or, if sel is nil, a byte before every four
// values (group varint, Dean 2009). ok is false unless data is exactly those values, padded with
// zeros to a whole word, and the selectors past them are zero, and no result is zero.
func UnpackFreqs(dst []uint32, sel, data []byte) (ok bool) {
	i, used, or := freqQuads(dst, sel, data)
	ok = unpackRest(dst[i:], i, sel, data, used, func(v uint32) uint32 {
		or |= uint64(v) + 1
		return v + 1
	})
	return ok && or>>32 == 0
}

// UnpackDocs is UnpackFreqs for d-gaps less one, of which it writes the running sum:
// dst[i] = dst[i-1] + 1 + value[i], with prev, or codec.NoDoc, before dst[0]. ok is false
// also if it exceeds 2^32-1.
func UnpackDocs(dst []uint32, sel, data []byte, prev uint32) (ok bool) {
	i, used, next := docQuads(dst, sel, data, uint64(prev+1))
	ok = unpackRest(dst[i:], i, sel, data, used, func(v uint32) uint32 {
		next += uint64(v) + 1
		return uint32(next - 1)
	})
	return ok && (next-1)>>32 == 0
}

// unpackRest unpacks the values from i on, a multiple of 4, whose data begin after used bytes.
func unpackRest(dst []uint32, i int, sel, data []byte, used int, result func(v uint32) uint32) (ok bool) {
	if used > len(data) {
		return false
	}
	for i /= 4; len(dst) > 0; i++ {
		var s byte
		if sel != nil {
			s = sel[i]
		} else if used < len(data) {
			s = data[used]
			used++
		}
		quad := dst[:min(4, len(dst))]
		for j := range quad {
			c := int(s & 3)
			s >>= 2
			if used+c >= len(data) {
				return false
			}
			var b [4]byte
			copy(b[:], data[used:used+c+1])
			quad[j] = result(binary.LittleEndian.Uint32(b[:]))
			used += c + 1
		}
		if len(quad) < 4 && s != 0 {
			return false
		}
		dst = dst[len(quad):]
	}
	for ; i < len(sel); i++ {
		if sel[i] != 0 {
			return false
		}
	}
	return gapblock.ZeroPad(data[used:])
}
