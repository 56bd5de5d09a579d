//go:build !purego

package bytepack

import (
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/simd"
)

func unpack(dst []uint32, sel, data []byte, n int, prev uint32, k kind) (used int, ok bool) {
	level := simd.Level()
	if level == simd.Portable || n == 0 || cap(data)-len(data) < format.ReadablePadding {
		return unpackGo(dst, sel, data, n, prev, k)
	}
	steps := (n + Step - 1) / Step
	_, _ = dst[steps*Step-1], sel[steps*4-1]
	first := unsafe.SliceData(data)
	last := (*byte)(unsafe.Add(unsafe.Pointer(first), len(data)))
	var next uintptr
	switch {
	case k == plainValues:
		next = plainAVX2(&dst[0], &sel[0], first, last, &tables[0], steps, prev)
	case k == freqsValues:
		next = freqsAVX2(&dst[0], &sel[0], first, last, &tables[0], steps, prev)
	case level == simd.AVX512:
		next = docsAVX512(&dst[0], &sel[0], first, last, &tables[0], steps, prev)
	default:
		next = docsAVX2(&dst[0], &sel[0], first, last, &tables[0], steps, prev)
	}
	// Values past n were taken to have a byte each.
	used = int(next-uintptr(unsafe.Pointer(first))) - (steps*Step - n)
	return used, used <= len(data) && spareZero(sel, n)
}

// docsBlock decodes a full block of docIDs. It is false, and dst of no use, unless
// the block is sound, its gaps are too small for their sum to wrap, and it can be
// read with vector instructions where it lies. Then DecodeDocs finds out more slowly
// what it is.
func docsBlock(dst []uint32, s *codec.Sequence, block, size int) bool {
	seq := (*byte)(unsafe.Pointer(s))
	switch simd.Level() {
	case simd.AVX512:
		return docsBlockAVX512(&dst[:size][0], seq, block, size, &tables[0])
	case simd.AVX2:
		return docsBlockAVX2(&dst[:size][0], seq, block, size, &tables[0])
	}
	return false
}

// freqsBlock is docsBlock for frequencies of which none takes four bytes.
func freqsBlock(dst []uint32, s *codec.Sequence, block, size int) bool {
	if simd.Level() == simd.Portable {
		return false
	}
	return freqsBlockAVX2(&dst[:size][0], (*byte)(unsafe.Pointer(s)), block, size, &tables[0])
}
