//go:build !purego

package sums

import "github.com/pinion-index/pinion/internal/simd"

func addProducts(sums *[Window]uint32, docs, weights []uint32, by uint32) {
	n := 0
	if simd.Level() >= simd.AVX2 {
		if n = len(docs) &^ 7; n > 0 {
			productsAVX2(&sums[0], &docs[0], &weights[0], n, by, Window-1)
		}
	}
	addPortable(sums, docs[n:], weights[n:], by)
}

func above(sums *[Window]uint32, words []uint64, from int, pass uint32) {
	if simd.Level() < simd.AVX2 {
		abovePortable(sums, words, from, pass)
		return
	}
	aboveAVX2(&sums[from], &words[0], len(words), pass)
}
