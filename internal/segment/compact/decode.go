// Package compact encodes the lists of 2 to 127 postings that are stored in the dictionary.
package compact

import (
	"math/bits"
	"unsafe"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

// A compact list of n postings in a segment of N documents is one bit stream,
// least significant bit first (Golomb 1966, Rice 1979):
//
//	5 bits        k
//	1 bit         1: every frequency is 1
//	width bits    first docID; width is that of N-1
//	n-1 times     the low k bits of a gap, d[i]-d[i-1]-1
//	n-1 times     its other bits q in unary: q zeros and a one
//	unless every frequency is 1:
//	n times       the number of bits b below the highest of a frequency, in unary
//	n times       those b bits
//
// The unary parts are separate, so that a decoder can search whole words for their ones
// and knows the positions of all other fields in advance.

// Fields at the beginning of a compact list.
const (
	lowBits  = 5 // bits of k
	headBits = lowBits + 1
)

// maxBytes is the maximum size of a compact list in bytes.
const maxBytes = 4096

// MaxPostings is the maximum number of postings of a compact list.
const MaxPostings = layout.MinExtent - 1

// firstWidth returns the number of bits of the first docID of a list.
func firstWidth(docs uint32) uint { return uint(bits.Len32(docs - 1)) }

// loadBits returns at least 57 bits of b from bit pos on. The 8 bytes at pos/8 must be
// readable.
func loadBits(b *byte, pos uint) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(b), pos>>3)) >> (pos & 7)
}

// loadedBits is the number of valid bits that loadBits returns.
const loadedBits = 57

// Decode decodes the 1 to 127 postings of a list in a segment of n documents from b and
// adds base to every docID. At least 8 bytes after b must be readable. docs and freqs are
// as long as the list. It reports whether b is exactly one list of docIDs below n.
func Decode(docs, freqs []uint32, b []byte, n, base uint32) bool {
	if len(b) == 0 || len(b) > maxBytes || len(docs) == 0 {
		return false
	}
	p, end := unsafe.SliceData(b), uint(len(b))*8
	width := firstWidth(n)
	head := loadBits(p, 0)
	if headBits+width > end {
		return false
	}
	doc := head >> headBits & (1<<width - 1)
	docs[0] = uint32(doc) + base
	pos := headBits + width
	if len(docs) > 1 {
		doc, pos = decodeGaps(docs, p, pos, end, uint(head&(1<<lowBits-1)), doc, base)
	}
	if pos > end || doc >= uint64(n) {
		return false
	}
	freqs = freqs[:len(docs)]
	if head>>lowBits&1 != 0 {
		copy(freqs, ones[:])
	} else {
		pos = decodeFreqs(freqs, p, pos, end)
	}
	return pos <= end && end-pos < 8 && uint(b[len(b)-1])>>(8-(end-pos)) == 0
}

// decodeGaps decodes docs[1:], whose gaps begin at bit pos, and adds base. doc is the docID
// before them. It returns the last docID and the bit position after the gaps, which is
// beyond end if the gaps are.
func decodeGaps(docs []uint32, b *byte, pos, end, k uint, doc uint64, base uint32) (uint64, uint) {
	low, mask := pos, uint64(1)<<(k&31)-1
	pos += uint(len(docs)-1) * k
	doc += uint64(base)
	q := uint64(0) // zeros of the current code in earlier words
	for i := 1; ; {
		if pos >= end {
			return doc, end + 1
		}
		w := loadBits(b, pos) & (1<<loadedBits - 1)
		begin := uint(0)
		for w != 0 {
			one := uint(bits.TrailingZeros64(w))
			w &= w - 1
			q += uint64(one - begin)
			begin = one + 1
			doc += 1 + q<<(k&31) + loadBits(b, low)&mask
			low += k
			q = 0
			docs[i] = uint32(doc)
			if i++; i == len(docs) {
				return doc - uint64(base), pos + begin
			}
		}
		q += uint64(loadedBits - begin)
		pos += loadedBits
	}
}

// ones are the frequencies of a list of which all are 1.
var ones = func() (v [layout.MinExtent]uint32) {
	for i := range v {
		v[i] = 1
	}
	return v
}()

// decodeFreqs decodes frequencies from bit pos on and returns the bit position after them,
// which is beyond end if they are. Most frequencies are 1, coded as a single one bit, so it
// looks for zeros: those after i ones belong to frequency i.
func decodeFreqs(freqs []uint32, b *byte, pos, end uint) uint {
	copy(freqs, ones[:])
	var above [layout.MinExtent]uint8 // frequencies above 1
	n := 0
	begin, zeros := pos, uint(0)
	for at := uint(0); at < uint(len(freqs))+zeros; at += loadedBits {
		if begin+at >= end {
			return end + 1
		}
		for w := ^loadBits(b, begin+at) & (1<<loadedBits - 1); w != 0; w &= w - 1 {
			i := at + uint(bits.TrailingZeros64(w)) - zeros
			if i >= uint(len(freqs)) {
				break
			}
			zeros++
			if freqs[i]++; freqs[i] == 2 {
				above[n&(layout.MinExtent-1)] = uint8(i)
				n++
			}
		}
	}
	pos = begin + uint(len(freqs)) + zeros
	for _, i := range above[:n] {
		k := freqs[i] - 1
		if k > 31 || pos > end {
			return end + 1
		}
		freqs[i] = 1<<k | uint32(loadBits(b, pos))&(1<<k-1)
		pos += uint(k)
	}
	return pos
}
