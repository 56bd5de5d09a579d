//go:build !purego

package query

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec/simd"
)

// scorePostings writes the scores of postings of l to dst, which is as long.
// Frequencies of 2^31 and more, which AVX2 cannot convert, and slices without
// room for whole vectors behind them are left to the portable code.
func (r *run) scorePostings(l *list, dst []float32, docs, freqs []uint32) {
	n := len(docs)
	lens, norms, w := &r.part.lens, r.s.scorer.norms, l.weight
	level := simd.Level()
	whole := (n + vectorSlack - 1) &^ (vectorSlack - 1)
	if level < simd.AVX2 || !lens.vectors || l.huge || cap(docs) < whole || cap(freqs) < whole || cap(dst) < whole {
		r.scorePortable(l, dst, docs, freqs)
		return
	}
	to, d, f := unsafe.SliceData(dst), unsafe.SliceData(docs), unsafe.SliceData(freqs)
	table, at := unsafe.SliceData(lens.table.Bytes()), unsafe.SliceData(norms)
	lastDoc, lastNorm := uint32(lens.table.Len()-1), uint32(len(norms)-1)
	wide := lens.table.Width() == 2
	switch {
	case level >= simd.AVX512 && wide:
		scoreAVX512x2(to, d, f, n, table, lastDoc, at, lastNorm, w)
	case level >= simd.AVX512:
		scoreAVX512x1(to, d, f, n, table, lastDoc, at, lastNorm, w)
	case wide:
		scoreAVX2x2(to, d, f, n, table, lastDoc, at, lastNorm, w)
	default:
		scoreAVX2x1(to, d, f, n, table, lastDoc, at, lastNorm, w)
	}
}
