package bitpack

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/format"
)

const (
	// BlockLen is the most values that one call packs.
	BlockLen = 128
	// MaxWidth is the widest value, in bits.
	MaxWidth = 32
	// VectorSize is the size of a vector, one word of each lane, in bytes.
	VectorSize = 16
)

// Rows returns the rows that n values take.
func Rows(n int) int { return (n + 3) / 4 }

// Vectors returns the vectors that n values of width bits take.
func Vectors(n int, width uint) int { return (Rows(n)*int(width) + 31) / 32 }

// Size returns the bytes that n values of width bits take.
func Size(n int, width uint) int { return Vectors(n, width) * VectorSize }

// padded says whether vector loads beyond src stay inside its memory.
func padded(src []byte) bool { return cap(src)-len(src) >= format.ReadablePadding }

// Bits returns the width of the largest value.
func Bits(v []uint32) uint { return uint(bits.Len32(or(v))) }

// Pack appends Size(len(v), width) bytes that hold v, at most BlockLen values of
// at most width bits; bits above are cut off.
func Pack(dst []byte, v []uint32, width uint) []byte {
	at := len(dst)
	size := Size(len(v), width)
	if cap(dst)-at < size {
		dst = append(dst, make([]byte, size)...)
	} else {
		dst = dst[:at+size]
	}
	pack(dst[at:at+size:at+size], v, width)
	return dst
}

// Unpack writes the n values of width bits in src to dst. src must hold at least
// Size(n, width) bytes; where its capacity exceeds its length by
// format.ReadablePadding, vector instructions are used. dst must have BlockLen
// elements; those from n on may be overwritten. n is 1 to 128, width 0 to 32.
// UnpackFreqs and UnpackDocs ask the same.
func Unpack(dst []uint32, src []byte, n int, width uint) {
	unpack(dst[:BlockLen:BlockLen], src, n, width)
}

// UnpackFreqs is Unpack with one added to every value.
func UnpackFreqs(dst []uint32, src []byte, n int, width uint) {
	unpackFreqs(dst[:BlockLen:BlockLen], src, n, width)
}

// UnpackDocs unpacks d-gaps less one and writes their running sum:
// dst[i] = dst[i-1] + 1 + value[i], with prev before dst[0]. Sums are mod 2^32.
func UnpackDocs(dst []uint32, src []byte, n int, width uint, prev uint32) {
	unpackDocs(dst[:BlockLen:BlockLen], src, n, width, prev)
}

// PrefixSum turns d-gaps less one into docIDs in place:
// v[i] becomes prev + sum over j <= i of v[j]+1, mod 2^32.
func PrefixSum(v []uint32, prev uint32) { prefixSum(v, prev) }

// Gaps writes docs[i]-docs[i-1]-1 to gaps, prev standing before docs[0]
// (codec.NoDoc at the start of a list), and returns the bitwise or of all of
// them. ok is false, and the gaps are of no use, unless the docIDs rise strictly
// from prev and are below 2^31. gaps must be as long as docs.
func Gaps(gaps, docs []uint32, prev uint32) (or uint32, ok bool) {
	return gapsOf(gaps[:len(docs)], docs, prev)
}

// LessOne writes v[i]-1 to dst, which must be as long, and returns the bitwise or
// of the results; ok is false if a value is zero.
func LessOne(dst, v []uint32) (or uint32, ok bool) {
	return lessOne(dst[:len(v)], v)
}

func orPortable(v []uint32) uint32 {
	var o uint32
	for _, x := range v {
		o |= x
	}
	return o
}

func packPortable(dst []byte, v []uint32, width uint) {
	clear(dst)
	mask := uint32(1<<width - 1)
	for i, x := range v {
		bit := uint(i/4) * width
		word, shift := int(bit/32)*VectorSize+i%4*4, bit%32
		if width == 0 {
			continue
		}
		x &= mask
		binary.LittleEndian.PutUint32(dst[word:], binary.LittleEndian.Uint32(dst[word:])|x<<shift)
		if shift+width > 32 {
			binary.LittleEndian.PutUint32(dst[word+VectorSize:], x>>(32-shift))
		}
	}
}

func unpackPortable(dst []uint32, src []byte, n int, width uint) {
	if width == 0 {
		clear(dst[:n])
		return
	}
	mask := uint32(1<<width - 1)
	for i := range dst[:4*Rows(n)] {
		bit := uint(i/4) * width
		word, shift := int(bit/32)*VectorSize+i%4*4, bit%32
		x := uint64(binary.LittleEndian.Uint32(src[word:]))
		if shift+width > 32 {
			x |= uint64(binary.LittleEndian.Uint32(src[word+VectorSize:])) << 32
		}
		dst[i] = uint32(x>>shift) & mask
	}
}

func prefixSumPortable(v []uint32, prev uint32) {
	for i, x := range v {
		prev += x + 1
		v[i] = prev
	}
}

func gapsPortable(gaps, docs []uint32, prev uint32) (or uint32, ok bool) {
	bad := uint32(0)
	for i, d := range docs {
		g := d - prev - 1
		gaps[i] = g
		or |= g
		// d <= prev shows as a gap of 2^31 or more, once both are below 2^31.
		bad |= d | g
		prev = d
	}
	return or, bad>>31 == 0
}

func lessOnePortable(dst, v []uint32) (or uint32, ok bool) {
	ok = true
	for i, x := range v {
		ok = ok && x != 0
		dst[i] = x - 1
		or |= x - 1
	}
	return or, ok
}
