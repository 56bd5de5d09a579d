//go:build !purego

package bitpack

import "github.com/pinion-index/pinion/format/codec/simd"

// The callers guarantee, besides what they promise themselves, that src of a block
// can be read for slack bytes past its VectorSize*width.

func packBlock(dst []byte, v []uint32, width uint) {
	if simd.Level() == simd.Portable {
		packPortable(dst, v, width)
		return
	}
	packAVX2(&dst[:VectorSize*width][0], &v[:BlockLen][0], width)
}

func unpackBlock(dst *[BlockLen]uint32, src []byte, width uint) {
	switch {
	case simd.Level() == simd.Portable:
		plainPortable(dst, src, width)
	case width == 0:
		fillAVX2(&dst[0], 0, 0)
	default:
		plainAVX2(&dst[0], &src[0], width)
	}
}

func freqsBlock(dst *[BlockLen]uint32, src []byte, width uint) {
	switch {
	case simd.Level() == simd.Portable:
		freqsPortable(dst, src, width)
	case width == 0:
		fillAVX2(&dst[0], 1, 0)
	default:
		freqsAVX2(&dst[0], &src[0], width)
	}
}

func docsBlock(dst *[BlockLen]uint32, src []byte, width uint, prev uint32) {
	level := simd.Level()
	switch {
	case level == simd.Portable:
		docsPortable(dst, src, width, prev)
	case width == 0:
		fillAVX2(&dst[0], prev+1, 1)
	case level == simd.AVX512:
		docsAVX512(&dst[0], &src[0], width, prev)
	default:
		docsAVX2(&dst[0], &src[0], width, prev)
	}
}

func or(v []uint32) uint32 {
	n := len(v) &^ 15
	if n == 0 || simd.Level() == simd.Portable {
		return orPortable(v)
	}
	return orAVX2(&v[0], n) | orPortable(v[n:])
}

func prefixSum(v []uint32, prev uint32) {
	if n := len(v) &^ 15; n > 0 {
		switch simd.Level() {
		case simd.AVX512:
			sumAVX512(&v[0], n, prev)
			v, prev = v[n:], v[n-1]
		case simd.AVX2:
			sumAVX2(&v[0], n, prev)
			v, prev = v[n:], v[n-1]
		}
	}
	sumPortable(v, prev)
}

func gapsOf(gaps, docs []uint32, prev uint32) (uint32, bool) {
	n := (len(docs) - 1) &^ 7
	if n <= 0 || simd.Level() == simd.Portable {
		return gapsPortable(gaps, docs, prev)
	}
	or1, ok1 := gapsPortable(gaps[:1], docs[:1], prev)
	or2, bad := gapsAVX2(&gaps[1], &docs[1], n)
	or3, ok3 := gapsPortable(gaps[1+n:], docs[1+n:], docs[n])
	return or1 | or2 | or3, ok1 && ok3 && bad>>31 == 0
}

func lessOne(dst, v []uint32) (uint32, bool) {
	n := len(v) &^ 7
	if n == 0 || simd.Level() == simd.Portable {
		return lessOnePortable(dst, v)
	}
	or1, zero := lessOneAVX2(&dst[0], &v[0], n)
	or2, ok := lessOnePortable(dst[n:], v[n:])
	return or1 | or2, ok && zero == 0
}
