//go:build !purego

package bytepack

import (
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/internal/simd"
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
	case level >= simd.AVX512:
		next = docsAVX512(&dst[0], &sel[0], first, last, &tables[0], steps, prev)
	default:
		next = docsAVX2(&dst[0], &sel[0], first, last, &tables[0], steps, prev)
	}
	// Values past n were taken to have a byte each.
	used = int(next-uintptr(unsafe.Pointer(first))) - (steps*Step - n)
	return used, used <= len(data) && spareZero(sel, n)
}

// packFast begins Pack: it returns how many values it packed and the bytes that they take.
func packFast(sel, data []byte, v []uint32) (n, used int) {
	n = len(v) &^ 7
	if n == 0 || simd.Level() == simd.Portable {
		return 0, 0
	}
	_, _ = sel[n/4-1], data[4*n-1]
	return n, int(packAVX2(&sel[0], &data[0], &v[0], n, &tables[0]))
}

// docsRun decodes the docIDs of full blocks in a row and returns how many: the block after
// them is not sound, or can wrap, or cannot be read with vector instructions where it lies,
// and DecodeDocs finds out more slowly what it is. Selectors begin at sel, one block behind
// another, or else each block begins with its own.
func docsRun(dst []uint32, s *codec.Sequence, block, count, size int, sel *byte) int {
	d, seq := &dst[:count*size][0], (*byte)(unsafe.Pointer(s))
	switch level := simd.Level(); {
	case level >= simd.AVX512 && sel == nil:
		return docsRunAVX512(d, seq, block, count, size, nil, &tables[0])
	case level >= simd.AVX512:
		return docsStreamAVX512(d, seq, block, count, size, sel, &tables[0])
	case level == simd.AVX2 && sel == nil:
		return docsRunAVX2(d, seq, block, count, size, nil, &tables[0])
	case level == simd.AVX2:
		return docsStreamAVX2(d, seq, block, count, size, sel, &tables[0])
	}
	return docsRunGo(dst, s, block, count, size, sel)
}

// freqsRun is docsRun for frequencies of which none takes four bytes.
func freqsRun(dst []uint32, s *codec.Sequence, block, count, size int, sel *byte) int {
	d, seq := &dst[:count*size][0], (*byte)(unsafe.Pointer(s))
	switch {
	case simd.Level() == simd.Portable:
		return freqsRunGo(dst, s, block, count, size, sel)
	case sel == nil:
		return freqsRunAVX2(d, seq, block, count, size, nil, &tables[0])
	}
	return freqsStreamAVX2(d, seq, block, count, size, sel, &tables[0])
}
