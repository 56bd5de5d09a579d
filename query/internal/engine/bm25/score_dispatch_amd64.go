//go:build !purego

package bm25

import (
	"unsafe"

	"github.com/pinion-index/pinion/internal/simd"
)

// ScoreNorms replaces the norms in v by the scores of postings with frequencies freqs, which are as
// many. AVX2 cannot convert frequencies of 2^31 or more. The portable code handles these, and
// slices without room for whole vectors.
func ScoreNorms(v []float32, freqs []uint32, w float32, huge bool) {
	n := len(v)
	whole := (n + Slack - 1) &^ (Slack - 1)
	if simd.Level() < simd.AVX2 || huge || n == 0 || cap(v) < whole || cap(freqs) < whole {
		scorePortable(v, freqs, w)
		return
	}
	scoreAVX2(unsafe.SliceData(v), unsafe.SliceData(freqs), n, w)
}
