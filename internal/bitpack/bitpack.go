package bitpack

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/format"
)

const (
	// BlockLen is the maximum number of values in one call.
	BlockLen = 128
	// MaxWidth is the maximum width of a value, in bits.
	MaxWidth = 32
	// VectorSize is the size of a vector, one word of each lane, in bytes.
	VectorSize = 16
)

// Rows returns the number of rows of n values.
func Rows(n int) int { return int(uint(n+3) / 4) }

// Vectors returns the number of vectors of n values of width bits.
func Vectors(n int, width uint) int { return int((uint(Rows(n))*width + 31) / 32) }

// Size returns the number of bytes of n values of width bits.
func Size(n int, width uint) int { return Vectors(n, width) * VectorSize }

// Bits returns the width, in bits, of the largest value.
func Bits(v []uint32) uint { return uint(bits.Len32(or(v))) }

// Pack appends v, at most BlockLen values, with width bits each: Size(len(v), width)
// bytes. Higher bits are dropped.
func Pack(dst []byte, v []uint32, width uint) []byte {
	at, size := len(dst), Size(len(v), width)
	if cap(dst)-at < size {
		dst = append(dst, make([]byte, size)...)
	} else {
		dst = dst[:at+size]
	}
	if size == 0 {
		return dst
	}
	if len(v) == BlockLen {
		pack(dst[at:], (*[BlockLen]uint32)(v), width)
		return dst
	}
	// Values missing from the last row, and rows missing from the block, are zero.
	var whole [BlockLen]uint32
	var packed [BlockLen * 4]byte
	copy(whole[:], v)
	pack(packed[:], &whole, width)
	copy(dst[at:], packed[:size])
	return dst
}

// ZeroTail reports whether the unused bits of p, the Size(n, width) bytes of n values,
// are zero: the rest of the last row, and each lane after it.
func ZeroTail(p []byte, n int, width uint) bool {
	rows := Rows(n)
	var junk uint64
	for i := n; i < 4*rows; i++ {
		junk |= bitsFrom(p, uint(i/4)*width, i%4) & (1<<width - 1)
	}
	for lane := range 4 {
		junk |= bitsFrom(p, uint(rows)*width, lane)
	}
	return junk == 0
}

// bitsFrom returns the bits of a lane from bit on, to the end of the next word or of p.
func bitsFrom(p []byte, bit uint, lane int) uint64 {
	at := int(bit/32)*VectorSize + lane*4
	if at >= len(p) {
		return 0
	}
	x := uint64(binary.LittleEndian.Uint32(p[at:]))
	if at += VectorSize; at < len(p) {
		x |= uint64(binary.LittleEndian.Uint32(p[at:])) << 32
	}
	return x >> (bit % 32)
}

// slack is the number of bytes that vector loads may read past a packed block.
const slack = 32

// Unpack writes the n values of width bits in src to dst. src must have at least Size(n,
// width) bytes; reading is fastest if its capacity is format.ReadablePadding greater. dst
// must have BlockLen elements; those from n on may be overwritten. n is 1 to 128, width 0
// to 32. UnpackFreqs and UnpackDocs have the same requirements.
func Unpack(dst []uint32, src []byte, n int, width uint) { unpackPlus(dst, src, n, width, 0) }

// UnpackFreqs is like Unpack but adds one to every value.
func UnpackFreqs(dst []uint32, src []byte, n int, width uint) { unpackPlus(dst, src, n, width, 1) }

func unpackPlus(dst []uint32, src []byte, n int, width uint, plus uint32) {
	if !whole(src, n, width) {
		unpackCopy(dst, src, n, width, plus)
		return
	}
	unpack((*[BlockLen]uint32)(dst), src, width, plus)
}

// UnpackDocs unpacks d-gaps minus one and writes their running sum: dst[i] = dst[i-1] + 1
// + value[i], with prev before dst[0]. Sums are mod 2^32.
func UnpackDocs(dst []uint32, src []byte, n int, width uint, prev uint32) {
	if !whole(src, n, width) {
		unpackDocsCopy(dst, src, n, width, prev)
		return
	}
	unpackDocs((*[BlockLen]uint32)(dst), src, width, prev)
}

// whole reports whether src is a full block that can be unpacked in place.
func whole(src []byte, n int, width uint) bool {
	return n == BlockLen && width <= MaxWidth &&
		uint(cap(src)) >= VectorSize*width+slack && uint(len(src)) >= VectorSize*width
}

// unpackCopy unpacks a copy of src with padding for vector loads.
//
//go:noinline
func unpackCopy(dst []uint32, src []byte, n int, width uint, plus uint32) {
	var buf [BlockLen*4 + slack]byte
	copy(buf[:BlockLen*4], src[:Size(n, width)])
	unpack((*[BlockLen]uint32)(dst), buf[:], width, plus)
}

// unpackDocsCopy is like unpackCopy for docIDs.
//
//go:noinline
func unpackDocsCopy(dst []uint32, src []byte, n int, width uint, prev uint32) {
	var buf [BlockLen*4 + slack]byte
	copy(buf[:BlockLen*4], src[:Size(n, width)])
	unpackDocs((*[BlockLen]uint32)(dst), buf[:], width, prev)
}

// DocsRun decodes count full blocks of codec bp128 or bp256 from block on, with size
// values each, 128 or 256. dst must have count*size elements. It returns the number of
// blocks decoded. Without vector instructions that is 0; otherwise it stops before a
// block that is invalid, has gaps of more than 24 bits, or has too few readable bytes
// after it.
func DocsRun(dst []uint32, s *format.Sequence, block, count, size int) int {
	if count <= 0 {
		return 0
	}
	return docsRun(dst, s, block, count, size)
}

// FreqsRun is like DocsRun for frequencies of at most 31 bits.
func FreqsRun(dst []uint32, s *format.Sequence, block, count, size int) int {
	if count <= 0 {
		return 0
	}
	return freqsRun(dst, s, block, count, size)
}

// PrefixSum turns d-gaps minus one into docIDs in place: v[i] becomes prev + sum over j
// <= i of v[j]+1, mod 2^32.
func PrefixSum(v []uint32, prev uint32) { prefixSum(v, prev) }

// Gaps writes docs[i]-docs[i-1]-1 to gaps, where prev is the docID before docs[0]
// (codec.NoDoc at the start of a list), and returns the bitwise or of all gaps. ok is
// false, and the gaps are invalid, unless the docIDs strictly increase from prev and are
// less than 2^31. gaps must be as long as docs.
func Gaps(gaps, docs []uint32, prev uint32) (or uint32, ok bool) {
	return gapsOf(gaps[:len(docs)], docs, prev)
}

// LessOne writes v[i]-1 to dst, which must be as long as v, and returns the bitwise or of
// the results. ok is false if a value is zero.
func LessOne(dst, v []uint32) (or uint32, ok bool) {
	return lessOne(dst[:len(v)], v)
}
