package bytepack

import (
	"encoding/binary"
	"math/bits"
)

// Step is how many values vector instructions decode at a time. A destination is
// written, and selectors are read, in whole steps.
const Step = 16

// SelectorBytes returns the bytes that the selectors of n values take, a multiple
// of 4.
func SelectorBytes(n int) int { return (n + Step - 1) / Step * 4 }

// DataSize returns the data bytes that v takes.
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
// and its bytes to data, which must have 4*len(v)+3 bytes. It returns the data bytes
// used; those after them may be overwritten.
func Pack(sel, data []byte, v []uint32) int {
	clear(sel[len(v)/4:])
	i, at := packFast(sel, data, v)
	for ; i+4 <= len(v); i += 4 {
		q, d := (*[4]uint32)(v[i:]), (*[16 + 3]byte)(data[at:])
		c0, c1, c2, c3 := code(q[0]), code(q[1]), code(q[2]), code(q[3])
		sel[i/4] = byte(c0 | c1<<2 | c2<<4 | c3<<6)
		binary.LittleEndian.PutUint32(d[:], q[0])
		at1 := c0 + 1
		binary.LittleEndian.PutUint32(d[at1&15:], q[1])
		at2 := at1 + c1 + 1
		binary.LittleEndian.PutUint32(d[at2&15:], q[2])
		at3 := at2 + c2 + 1
		binary.LittleEndian.PutUint32(d[at3&15:], q[3])
		at += int(at3 + c3 + 1)
	}
	for ; i < len(v); i++ {
		c := code(v[i])
		sel[i/4] |= byte(c << (i % 4 * 2))
		binary.LittleEndian.PutUint32(data[at:], v[i])
		at += int(c) + 1
	}
	return at
}

// Unpack writes the n values whose selectors and data are given to dst, which must
// have as many elements as n rounded up to a multiple of Step; sel must be
// SelectorBytes(n) long. used is the number of data bytes that the values take. It
// is false unless data has so many and the selectors past n are zero. Where the
// capacity of data exceeds its length by format.ReadablePadding, vector
// instructions are used. UnpackFreqs and UnpackDocs ask the same.
func Unpack(dst []uint32, sel, data []byte, n int) (used int, ok bool) {
	return unpack(dst, sel, data, n, 0, plainValues)
}

// UnpackFreqs is Unpack with one added to every value, mod 2^32.
func UnpackFreqs(dst []uint32, sel, data []byte, n int) (used int, ok bool) {
	return unpack(dst, sel, data, n, 0, freqsValues)
}

// UnpackDocs unpacks d-gaps less one and writes their running sum:
// dst[i] = dst[i-1] + 1 + value[i], with prev before dst[0]. Sums are mod 2^32.
func UnpackDocs(dst []uint32, sel, data []byte, n int, prev uint32) (used int, ok bool) {
	return unpack(dst, sel, data, n, prev, docsValues)
}

// Wide says whether a selector stands for four bytes.
func Wide(sel []byte) bool {
	const even = 0x5555555555555555
	var wide uint64
	for ; len(sel) >= 8; sel = sel[8:] {
		x := binary.LittleEndian.Uint64(sel)
		wide |= x & (x >> 1) & even
	}
	for _, b := range sel {
		wide |= uint64(b&(b>>1)) & even
	}
	return wide != 0
}

// kind is what values stand for.
type kind int

const (
	plainValues kind = iota
	freqsValues
	docsValues
)

// spareZero says whether the selectors past n are zero.
func spareZero(sel []byte, n int) bool {
	var junk byte
	if n%4 != 0 {
		junk = sel[n/4] >> (n % 4 * 2)
	}
	for _, b := range sel[(n+3)/4:] {
		junk |= b
	}
	return junk == 0
}
