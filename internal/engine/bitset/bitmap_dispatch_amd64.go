//go:build !purego

package bitset

import "unsafe"

// matchDocs only needs instructions that every amd64 CPU has.
func matchDocs(words []uint64, lo uint32, docs []uint32, found []uint16) int {
	if len(docs) == 0 {
		return 0
	}
	return bitmapMatch(unsafe.SliceData(words), uint32(64*len(words)), lo, &docs[0], len(docs), &found[:len(docs)][0])
}
