//go:build !purego

package bm25

import (
	"unsafe"

	"github.com/pinion-index/pinion/internal/simd"
)

// scoreNorms replaces the norms in v by the scores of postings of exact lengths.
func scoreNorms(v []float32, freqs []uint32, w float32, huge bool) {
	if !whole(v, freqs, huge) {
		scorePortable(v, freqs, w)
		return
	}
	scoreAVX2(unsafe.SliceData(v), unsafe.SliceData(freqs), len(v), w)
}

// scoreCodedNorms is scoreNorms for coded lengths.
func scoreCodedNorms(v []float32, freqs []uint32, w float32, huge bool) {
	if !whole(v, freqs, huge) {
		scoreCodedPortable(v, freqs, w)
		return
	}
	scoreCodedAVX2(unsafe.SliceData(v), unsafe.SliceData(freqs), len(v), w)
}

// whole reports whether AVX2 can score postings. It cannot convert frequencies of 2^31 or more. The portable
// code handles these, and slices without room for whole vectors.
func whole(v []float32, freqs []uint32, huge bool) bool {
	n := len(v)
	room := (n + Slack - 1) &^ (Slack - 1)
	return simd.Level() >= simd.AVX2 && !huge && n > 0 && cap(v) >= room && cap(freqs) >= room
}
