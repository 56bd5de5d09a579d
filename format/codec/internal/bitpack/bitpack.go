package bitpack

import (
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
		packBlock(dst[at:], v, width)
		return dst
	}
	// Values missing from the last row, and rows missing from the block, are zero.
	var whole [BlockLen]uint32
	var packed [BlockLen * 4]byte
	copy(whole[:], v)
	packBlock(packed[:], whole[:], width)
	copy(dst[at:], packed[:size])
	return dst
}

// slack is how far past a packed block vector loads may reach.
const slack = 32

// Unpack writes the n values of width bits in src to dst. src must hold at least
// Size(n, width) bytes; it is read fastest where format.ReadablePadding more lie
// within its capacity. dst must have BlockLen elements; those from n on may be
// overwritten. n is 1 to 128, width 0 to 32. UnpackFreqs and UnpackDocs ask the
// same.
func Unpack(dst []uint32, src []byte, n int, width uint) { unpack(dst, src, n, width) }

// UnpackFreqs is Unpack with one added to every value.
func UnpackFreqs(dst []uint32, src []byte, n int, width uint) { unpackFreqs(dst, src, n, width) }

// UnpackDocs unpacks d-gaps less one and writes their running sum:
// dst[i] = dst[i-1] + 1 + value[i], with prev before dst[0]. Sums are mod 2^32.
func UnpackDocs(dst []uint32, src []byte, n int, width uint, prev uint32) {
	unpackDocs(dst, src, n, width, prev)
}

// DocsBlock decodes a full block of docIDs whose width follows from its endpoints,
// as codecs bp128 and bp256 lay them out: size is 128 or 256, and dst as long. It
// is false, and dst of no use, unless the block is sound, has gaps of at most 24
// bits, whose sum cannot wrap, and can be read with vector instructions where it
// lies. Then the caller finds out more slowly what it is.
func DocsBlock(dst []uint32, s *codec.Sequence, block, size int) bool {
	return docsBlock(dst, s, block, size)
}

// DocsRun is DocsBlock for count blocks in a row. It returns how many it decoded: the
// one after them is not one for DocsBlock. dst holds count*size values.
func DocsRun(dst []uint32, s *codec.Sequence, block, count, size int) int {
	if count <= 0 {
		return 0
	}
	return docsRun(dst, s, block, count, size)
}

// FreqsBlock is DocsBlock for frequencies of at most 31 bits.
func FreqsBlock(dst []uint32, s *codec.Sequence, block, size int) bool {
	return freqsBlock(dst, s, block, size)
}

// FreqsRun is DocsRun for frequencies of at most 31 bits.
func FreqsRun(dst []uint32, s *codec.Sequence, block, count, size int) int {
	if count <= 0 {
		return 0
	}
	return freqsRun(dst, s, block, count, size)
}

// whole says whether src is a full block that can be unpacked where it lies.
func whole(src []byte, n int, width uint) bool {
	return n == BlockLen && width <= MaxWidth &&
		uint(cap(src)) >= VectorSize*width+slack && uint(len(src)) >= VectorSize*width
}

// kind is what the values of a block are.
type kind int

const (
	plainValues kind = iota
	freqsValues
	docsValues
)

// unpackShort unpacks a copy of src with room for vector loads.
//
//go:noinline
func unpackShort(dst []uint32, src []byte, n int, width uint, prev uint32, k kind) {
	var buf [BlockLen*4 + slack]byte
	copy(buf[:BlockLen*4], src[:Size(n, width)])
	switch k {
	case plainValues:
		unpack(dst, buf[:], BlockLen, width)
	case freqsValues:
		unpackFreqs(dst, buf[:], BlockLen, width)
	case docsValues:
		unpackDocs(dst, buf[:], BlockLen, width, prev)
	}
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
