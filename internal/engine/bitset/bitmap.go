// Package bitset has sets of documents in a range, as bitmaps.
package bitset

import (
	"math"
	"math/bits"
)

// none is reader.NoDoc, which is above every docID.
const none = math.MaxUint32

// Set is a set of documents in a range.
type Set struct {
	lo    uint32 // first document of words
	words []uint64
	used  int // words of the range; the others are zero
	found []uint16
}

// Reset makes room for documents lo to hi, in the empty set.
func (b *Set) Reset(lo, hi uint32) {
	b.lo = lo &^ 63
	b.used = int((hi-b.lo)/64) + 1
	if b.used > len(b.words) {
		b.words = make([]uint64, b.used)
	}
}

// Add makes docs members. Like the other methods it ignores documents out of range, which only
// occur in damaged lists.
func (b *Set) Add(docs []uint32) { addDocs(b.words[:b.used], b.lo, docs) }

// Match returns the indexes of the members among docs, of which there are at most 65536. The result
// is valid until the next call.
func (b *Set) Match(docs []uint32) []uint16 {
	found := b.room(docs)
	return found[:matchDocs(b.words[:b.used], b.lo, docs, found)]
}

// Clear empties the set.
func (b *Set) Clear() {
	clear(b.words[:b.used])
	b.used = 0
}

// Remove empties a set whose members are docs. Inlined, its loop would keep its variables in
// memory.
//
//go:noinline
func (b *Set) Remove(docs []uint32) {
	if b.used < 4*len(docs) {
		b.Clear()
		return
	}
	words, lo := b.words[:b.used], b.lo
	for _, d := range docs {
		if word := uint((d - lo) >> 6); word < uint(len(words)) {
			words[word] = 0
		}
	}
	b.used = 0
}

// room returns memory for len(docs) indexes.
func (b *Set) room(docs []uint32) []uint16 {
	if cap(b.found) < len(docs) {
		b.found = make([]uint16, max(len(docs), 1024))
	}
	return b.found[:len(docs)]
}

// Next returns the first member at or after doc, or reader.NoDoc.
func (b *Set) Next(doc uint32) uint32 {
	j := max(doc, b.lo) - b.lo
	i := int(j >> 6)
	if i >= b.used {
		return none
	}
	if m := b.words[i] >> (j & 63); m != 0 {
		return b.lo + j + uint32(bits.TrailingZeros64(m))
	}
	words := b.words[i+1 : b.used]
	for len(words) >= 4 && words[0]|words[1]|words[2]|words[3] == 0 { // most are
		words = words[4:]
	}
	for k, m := range words {
		if m != 0 {
			return b.lo + uint32((b.used-len(words)+k)*64+bits.TrailingZeros64(m))
		}
	}
	return none
}

// Contents returns the first document and the bits of the range.
func (b *Set) Contents() (lo uint32, words []uint64) { return b.lo, b.words[:b.used] }
