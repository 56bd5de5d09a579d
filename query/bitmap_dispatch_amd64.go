//go:build !purego

package query

import "unsafe"

// These need no more than what every amd64 CPU has.

func addDocs(words []uint64, lo uint32, docs []uint32) {
	bitmapAdd(unsafe.SliceData(words), uint32(64*len(words)), lo, unsafe.SliceData(docs), len(docs))
}

func matchDocs(words []uint64, lo uint32, docs []uint32, found []uint16) int {
	return bitmapMatch(unsafe.SliceData(words), uint32(64*len(words)), lo, unsafe.SliceData(docs), len(docs), unsafe.SliceData(found[:len(docs)]))
}
