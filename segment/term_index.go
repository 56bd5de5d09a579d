package segment

import (
	"math/bits"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

// termIndex is section TERMINDEX.
type termIndex struct {
	keys    []uint64 // first 8 bytes of every block's first term, big-endian, zero padded
	offsets []uint64 // offset of every block, and the end of the last

	// Of a segment on demand, else nil.
	lists []uint64 // LISTS
	terms []byte   // TERMS, if it is small
}

// blockOf returns the block of f that has term, if f has it and no other block begins with the same bytes. It is -1 if
// there is none.
func (ti *termIndex) blockOf(f *Field, term []byte) int {
	return inField(f.FirstBlock, lastAtMost(ti.keys[f.FirstBlock:f.FirstBlock+f.Blocks], layout.TermKey(term)))
}

// inField returns the number of block i of a field whose first block is first; -1 stays.
func inField(first, i int) int {
	if i < 0 {
		return i
	}
	return first + i
}

// lastAtMost returns the index of the last of the ascending keys that is at most key, or
// -1. It does not branch on keys, since that is hard to predict.
func lastAtMost(keys []uint64, key uint64) int {
	if len(keys) == 0 || keys[0] > key {
		return -1
	}
	at, n := 0, len(keys) // keys[at] <= key, and the answer is in keys[at:at+n]
	for n > 1 {
		half := n >> 1
		_, above := bits.Sub64(key, keys[at+half], 0)
		at += half & (int(above) - 1)
		n -= half
	}
	return at
}
