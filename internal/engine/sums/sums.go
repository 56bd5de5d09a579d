// Package sums adds up integers by document, within a window of documents.
package sums

import "math/bits"

// Window is how many documents have sums at a time. Windows begin at multiples of it.
const Window = 1 << 14

// Sums are the sums of the documents of a window, all 0 at first.
type Sums struct {
	sums  [Window]uint32
	above [Window / 64]uint64
}

// Add adds weights times by to the sums of docs, of which there are as many: documents of the window, by their docIDs.
// Sums stay below 2^31.
func (s *Sums) Add(docs, weights []uint32, by uint32) {
	if len(docs) > 0 {
		addProducts(&s.sums, docs, weights[:len(docs)], by)
	}
}

// Above returns the documents from lo up to hi, which are of one window, whose sums are above pass, as bits; bit 0 is the first
// document of the window or one that is a multiple of 64 and at most lo. pass is below 2^31. The result, which may be changed,
// is valid until the next call.
func (s *Sums) Above(lo, hi, pass uint32) (first uint32, words []uint64) {
	from, to := lo%Window/64, (hi-1)%Window/64+1
	words = s.above[from:to]
	above(&s.sums, words, int(64*from), pass)
	words[0] &= ^uint64(0) << (lo % 64)
	words[len(words)-1] &= ^uint64(0) >> ((64 - hi%64) % 64)
	return lo &^ 63, words
}

// Of returns the sum of a document of the window.
func (s *Sums) Of(doc uint32) uint32 { return s.sums[doc%Window] }

// Clear makes the sums of the documents from lo up to hi, which are of one window, 0.
func (s *Sums) Clear(lo, hi uint32) { clear(s.sums[lo%Window:][:hi-lo]) }

// ClearAll makes all sums 0.
func (s *Sums) ClearAll() { clear(s.sums[:]) }

// addPortable is Add.
func addPortable(sums *[Window]uint32, docs, weights []uint32, by uint32) {
	for i, d := range docs {
		sums[d%Window] += weights[i] * by
	}
}

// abovePortable sets the bits of words for sums from number from on that are above pass, and clears the others.
func abovePortable(sums *[Window]uint32, words []uint64, from int, pass uint32) {
	for i := range words {
		part := (*[64]uint32)(sums[from+64*i:])
		word := uint64(0)
		for j := 0; j < 64; j += 4 {
			// The difference has its upper bits set where the sum is above.
			a := uint64(pass-part[j]) >> 31
			b := uint64(pass-part[j+1]) >> 31
			c := uint64(pass-part[j+2]) >> 31
			d := uint64(pass-part[j+3]) >> 31
			word |= bits.RotateLeft64(a|b<<1|c<<2|d<<3, j)
		}
		words[i] = word
	}
}
