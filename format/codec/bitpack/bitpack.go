package bitpack

import "math/bits"

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
func Unpack(dst []uint32, src []byte, n int, width uint) {
	if whole(src, n, width) {
		unpackBlock((*[BlockLen]uint32)(dst), src, width)
		return
	}
	var buf [BlockLen*4 + slack]byte
	copy(buf[:], src[:Size(n, width)])
	unpackBlock((*[BlockLen]uint32)(dst), buf[:], width)
}

// whole says whether src is a full block that can be unpacked where it lies.
func whole(src []byte, n int, width uint) bool {
	return n == BlockLen && uint(cap(src)) >= VectorSize*width+slack && uint(len(src)) >= VectorSize*width
}

// UnpackFreqs is Unpack with one added to every value.
func UnpackFreqs(dst []uint32, src []byte, n int, width uint) {
	if whole(src, n, width) {
		freqsBlock((*[BlockLen]uint32)(dst), src, width)
		return
	}
	var buf [BlockLen*4 + slack]byte
	copy(buf[:], src[:Size(n, width)])
	freqsBlock((*[BlockLen]uint32)(dst), buf[:], width)
}

// UnpackDocs unpacks d-gaps less one and writes their running sum:
// dst[i] = dst[i-1] + 1 + value[i], with prev before dst[0]. Sums are mod 2^32.
func UnpackDocs(dst []uint32, src []byte, n int, width uint, prev uint32) {
	if whole(src, n, width) {
		docsBlock((*[BlockLen]uint32)(dst), src, width, prev)
		return
	}
	var buf [BlockLen*4 + slack]byte
	copy(buf[:], src[:Size(n, width)])
	docsBlock((*[BlockLen]uint32)(dst), buf[:], width, prev)
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
