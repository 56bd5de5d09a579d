//go:build !purego

package bitpack

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/internal/simd"
)

func packBlock(dst []byte, v []uint32, width uint) {
	if simd.Level() == simd.Portable {
		packPortable(dst, v, width)
		return
	}
	packAVX2(&dst[:VectorSize*width][0], &v[:BlockLen][0], width)
}

func unpack(dst []uint32, src []byte, n int, width uint) {
	if !whole(src, n, width) {
		unpackShort(dst, src, n, width, 0, plainValues)
		return
	}
	d := (*[BlockLen]uint32)(dst)
	if simd.Level() == simd.Portable {
		plainPortable(d, src, width)
		return
	}
	plainAVX2(&d[0], unsafe.SliceData(src), width)
}

func unpackFreqs(dst []uint32, src []byte, n int, width uint) {
	if !whole(src, n, width) {
		unpackShort(dst, src, n, width, 0, freqsValues)
		return
	}
	d := (*[BlockLen]uint32)(dst)
	if simd.Level() == simd.Portable {
		freqsPortable(d, src, width)
		return
	}
	freqsAVX2(&d[0], unsafe.SliceData(src), width)
}

func unpackDocs(dst []uint32, src []byte, n int, width uint, prev uint32) {
	if !whole(src, n, width) {
		unpackShort(dst, src, n, width, prev, docsValues)
		return
	}
	d := (*[BlockLen]uint32)(dst)
	switch simd.Level() {
	case simd.AVX512, simd.VBMI2:
		docsAVX512(&d[0], unsafe.SliceData(src), width, prev)
	case simd.AVX2:
		docsAVX2(&d[0], unsafe.SliceData(src), width, prev)
	default:
		docsPortable(d, src, width, prev)
	}
}

func docsBlock(dst []uint32, s *codec.Sequence, block, size int) bool {
	d := &dst[:size][0]
	switch level := simd.Level(); {
	case level >= simd.AVX512 && size == BlockLen:
		return docsBlock128AVX512(d, s, block)
	case level >= simd.AVX512:
		return docsBlock256AVX512(d, s, block)
	case level == simd.AVX2 && size == BlockLen:
		return docsBlock128AVX2(d, s, block)
	case level == simd.AVX2:
		return docsBlock256AVX2(d, s, block)
	}
	return false
}

func docsRun(dst []uint32, s *codec.Sequence, block, count, size int) int {
	d := &dst[:count*size][0]
	switch level := simd.Level(); {
	case level >= simd.AVX512 && size == BlockLen:
		return docsRun128AVX512(d, s, block, count)
	case level >= simd.AVX512:
		return docsRun256AVX512(d, s, block, count)
	case level == simd.AVX2 && size == BlockLen:
		return docsRun128AVX2(d, s, block, count)
	case level == simd.AVX2:
		return docsRun256AVX2(d, s, block, count)
	}
	return docsRunPortable(dst, s, block, count, size)
}

func freqsBlock(dst []uint32, s *codec.Sequence, block, size int) bool {
	d := &dst[:size][0]
	switch {
	case simd.Level() == simd.Portable:
		return false
	case size == BlockLen:
		return freqsBlock128AVX2(d, s, block)
	}
	return freqsBlock256AVX2(d, s, block)
}

func freqsRun(dst []uint32, s *codec.Sequence, block, count, size int) int {
	d := &dst[:count*size][0]
	switch {
	case simd.Level() == simd.Portable:
		return 0
	case size == BlockLen:
		return freqsRun128AVX2(d, s, block, count)
	}
	return freqsRun256AVX2(d, s, block, count)
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
		case simd.AVX512, simd.VBMI2:
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
