//go:build !purego

package query

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec/simd"
)

// scoreLanes is the longest vector: scores are computed for whole vectors, so
// buffers hold a multiple of it.
const scoreLanes = 16

// scorePostings writes the scores of the postings of the current block to
// l.scores. Frequencies of 2^31 and more, which AVX2 cannot convert, are left to
// the portable code, by the list's bound.
func (r *run) scorePostings(l *list) {
	n := len(l.docs)
	padded := (n + scoreLanes - 1) &^ (scoreLanes - 1)
	lens := &r.part.lens
	if !lens.vectors || l.huge || cap(l.docs) < padded || cap(l.freqs) < padded || cap(l.scores) < padded {
		r.scorePortable(l)
		return
	}
	norms := r.s.scorer.norms
	b := lens.table.Bytes()
	dst, docs, freqs := unsafe.SliceData(l.scores), unsafe.SliceData(l.docs), unsafe.SliceData(l.freqs)
	lastDoc, lastNorm := uint32(lens.table.Len()-1), uint32(len(norms)-1)
	wide := lens.table.Width() == 2
	switch level := simd.Level(); {
	case level >= simd.AVX512 && wide:
		scoreAVX512x2(dst, docs, freqs, n, unsafe.SliceData(b), lastDoc, unsafe.SliceData(norms), lastNorm, l.weight)
	case level >= simd.AVX512:
		scoreAVX512x1(dst, docs, freqs, n, unsafe.SliceData(b), lastDoc, unsafe.SliceData(norms), lastNorm, l.weight)
	case level >= simd.AVX2 && wide:
		scoreAVX2x2(dst, docs, freqs, n, unsafe.SliceData(b), lastDoc, unsafe.SliceData(norms), lastNorm, l.weight)
	case level >= simd.AVX2:
		scoreAVX2x1(dst, docs, freqs, n, unsafe.SliceData(b), lastDoc, unsafe.SliceData(norms), lastNorm, l.weight)
	default:
		r.scorePortable(l)
	}
}
