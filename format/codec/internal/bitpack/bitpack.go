package bitpack

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/format/codec"
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

// Bits returns the width of the largest value.
func Bits(v []uint32) uint { return uint(bits.Len32(or(v))) }

// Pack appends Size(len(v), width) bytes that hold v, at most BlockLen values of
// at most width bits; bits above are cut off.
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

// ZeroTail says whether p, the Size(n, width) bytes of n values, is zero where it holds no
// value: in the rest of the last row, and in each lane past it.
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

// slack is how far past a packed block vector loads may reach.
const slack = 32

// Unpack writes the n values of width bits in src to dst. src must hold at least
// Size(n, width) bytes; reading is fastest if its capacity has format.ReadablePadding
// more. dst must have BlockLen elements; those from n on may be overwritten. n is 1
// to 128, width 0 to 32. UnpackFreqs and UnpackDocs have the same requirements.
func Unpack(dst []uint32, src []byte, n int, width uint) { unpackPlus(dst, src, n, width, 0) }

// UnpackFreqs is Unpack with one added to every value.
func UnpackFreqs(dst []uint32, src []byte, n int, width uint) { unpackPlus(dst, src, n, width, 1) }

func unpackPlus(dst []uint32, src []byte, n int, width uint, plus uint32) {
	if !whole(src, n, width) {
		unpackCopy(dst, src, n, width, plus)
		return
	}
	unpack((*[BlockLen]uint32)(dst), src, width, plus)
}

// UnpackDocs unpacks d-gaps less one and writes their running sum:
// dst[i] = dst[i-1] + 1 + value[i], with prev before dst[0]. Sums are mod 2^32.
func UnpackDocs(dst []uint32, src []byte, n int, width uint, prev uint32) {
	if !whole(src, n, width) {
		unpackDocsCopy(dst, src, n, width, prev)
		return
	}
	unpackDocs((*[BlockLen]uint32)(dst), src, width, prev)
}

// whole says whether src is a full block that can be unpacked where it lies.
func whole(src []byte, n int, width uint) bool {
	return n == BlockLen && width <= MaxWidth &&
		uint(cap(src)) >= VectorSize*width+slack && uint(len(src)) >= VectorSize*width
}

// unpackCopy unpacks a copy of src with room for vector loads.
//
//go:noinline
func unpackCopy(dst []uint32, src []byte, n int, width uint, plus uint32) {
	var buf [BlockLen*4 + slack]byte
	copy(buf[:BlockLen*4], src[:Size(n, width)])
	unpack((*[BlockLen]uint32)(dst), buf[:], width, plus)
}

// unpackDocsCopy is unpackCopy for docIDs.
//
//go:noinline
func unpackDocsCopy(dst []uint32, src []byte, n int, width uint, prev uint32) {
	var buf [BlockLen*4 + slack]byte
	copy(buf[:BlockLen*4], src[:Size(n, width)])
	unpackDocs((*[BlockLen]uint32)(dst), buf[:], width, prev)
}

// DocsRun decodes consecutive full blocks whose width follows from their endpoints, as
// codecs bp128 and bp256 lay them out: count of them from block on, of size values each,
// 128 or 256. dst must hold count*size values. It returns the number of blocks that it
// decoded. It decodes none without vector instructions, and stops before a block that
// is not sound, has gaps of more than 24 bits, or lacks readable bytes behind it.
func DocsRun(dst []uint32, s *codec.Sequence, block, count, size int) int {
	if count <= 0 {
		return 0
	}
	return docsRun(dst, s, block, count, size)
}

// FreqsRun is DocsRun for frequencies of at most 31 bits.
func FreqsRun(dst []uint32, s *codec.Sequence, block, count, size int) int {
	if count <= 0 {
		return 0
	}
	return freqsRun(dst, s, block, count, size)
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
