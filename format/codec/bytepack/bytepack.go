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
// and its bytes to data, which must have DataSize(v)+3 bytes. It returns the data
// bytes used; up to three bytes after them are overwritten.
func Pack(sel, data []byte, v []uint32) int {
	clear(sel)
	at := 0
	for i, x := range v {
		c := code(x)
		sel[i/4] |= byte(c << (i % 4 * 2))
		binary.LittleEndian.PutUint32(data[at:], x)
		at += int(c) + 1
	}
	return at
}

// Unpack writes the n values whose selectors and data are given to dst. sel must
// be SelectorBytes(n) long and dst as many elements as n rounded up to a multiple
// of Step. It is false unless the values take exactly the bytes of data and the
// selectors past n are zero. Where the capacity of data exceeds its length by
// format.ReadablePadding, vector instructions are used. UnpackFreqs and UnpackDocs
// ask the same.
func Unpack(dst []uint32, sel, data []byte, n int) bool { return unpack(dst, sel, data, n) }

// UnpackFreqs is Unpack with one added to every value, mod 2^32.
func UnpackFreqs(dst []uint32, sel, data []byte, n int) bool { return unpackFreqs(dst, sel, data, n) }

// UnpackDocs unpacks d-gaps less one and writes their running sum:
// dst[i] = dst[i-1] + 1 + value[i], with prev before dst[0]. Sums are mod 2^32.
func UnpackDocs(dst []uint32, sel, data []byte, n int, prev uint32) bool {
	return unpackDocs(dst, sel, data, n, prev)
}

var masks = [4]uint32{1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1}

func unpackPortable(dst []uint32, sel, data []byte, n int) bool {
	at, i := 0, 0
	for ; i+4 <= n && len(data)-at >= 16; i += 4 {
		s, d, o := sel[i/4], data[at:at+16:at+16], dst[i:i+4:i+4]
		c0, c1, c2, c3 := s&3, s>>2&3, s>>4&3, s>>6
		l1 := uint(c0) + 1
		l2 := l1 + uint(c1) + 1
		l3 := l2 + uint(c2) + 1
		o[0] = binary.LittleEndian.Uint32(d) & masks[c0]
		o[1] = binary.LittleEndian.Uint32(d[l1:]) & masks[c1]
		o[2] = binary.LittleEndian.Uint32(d[l2:]) & masks[c2]
		o[3] = binary.LittleEndian.Uint32(d[l3:]) & masks[c3]
		at += int(l3 + uint(c3) + 1)
	}
	for ; i < n; i++ {
		c := int(sel[i/4] >> (i % 4 * 2) & 3)
		if at+c >= len(data) {
			return false
		}
		x := uint32(0)
		for k := c; k >= 0; k-- {
			x = x<<8 | uint32(data[at+k])
		}
		dst[i] = x
		at += c + 1
	}
	return at == len(data) && spareZero(sel, n)
}

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

// DataLen returns the data bytes that n values with these selectors take.
func DataLen(sel []byte, n int) int {
	sum := n
	for ; len(sel) >= 8; sel = sel[8:] {
		sum += sumCodes(binary.LittleEndian.Uint64(sel))
	}
	for _, b := range sel {
		sum += sumCodes(uint64(b))
	}
	return sum
}

// sumCodes adds up the 32 selectors in x.
func sumCodes(x uint64) int {
	const even = 0x5555555555555555
	return bits.OnesCount64(x) + bits.OnesCount64(x>>1&even)
}
