//go:build !purego

package patch

import (
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/internal/simd"
)

// tier returns the instructions that may be used on src: the kernels read up to 64
// bytes past the low bits and the exceptions.
func tier(src []byte) simd.Tier {
	if cap(src)-len(src) < format.ReadablePadding {
		return simd.Portable
	}
	return simd.Level()
}

func unpack(dst []uint32, n int, src []byte, low int, bit uint, p Plan, pos uint, less uint32) bool {
	dst = dst[:bitpack.BlockLen:bitpack.BlockLen]
	level := tier(src)
	if level == simd.Portable {
		return unpackPortable(dst, n, src, low, bit, p, pos, less)
	}
	if pos == byCount {
		pos = p.form()
	}
	if level == simd.AVX2 {
		bitpack.Unpack(dst, src[low:], n, p.Width)
		return applyAVX2(&dst[0], unsafe.SliceData(src), uint64(bit), uint64(p.Count), uint64(p.Over), uint64(p.Width), uint64(pos), uint64(n), uint64(less))
	}
	bitpack.Unpack(dst, src[low:], n, p.Width)
	return apply512(&dst[0], unsafe.SliceData(src), uint64(bit), uint64(p.Count), uint64(p.Over), uint64(p.Width), uint64(pos), uint64(n), less, 0)
}

func unpackFreqs(dst []uint32, n int, src []byte, low int, bit uint, p Plan, pos uint, less uint32) bool {
	dst = dst[:bitpack.BlockLen:bitpack.BlockLen]
	level := tier(src)
	if level == simd.Portable {
		return unpackFreqsPortable(dst, n, src, low, bit, p, pos, less)
	}
	if pos == byCount {
		pos = p.form()
	}
	if level == simd.AVX2 {
		bitpack.UnpackFreqs(dst, src[low:], n, p.Width)
		return applyAVX2(&dst[0], unsafe.SliceData(src), uint64(bit), uint64(p.Count), uint64(p.Over), uint64(p.Width), uint64(pos), uint64(n), uint64(less))
	}
	bitpack.Unpack(dst, src[low:], n, p.Width)
	return applyFreqs512(&dst[0], unsafe.SliceData(src), uint64(bit), uint64(p.Count), uint64(p.Over), uint64(p.Width), uint64(pos), uint64(n), less, 0)
}

func unpackDocs(dst []uint32, n int, src []byte, low int, bit uint, p Plan, pos uint, less, prev uint32) bool {
	dst = dst[:bitpack.BlockLen:bitpack.BlockLen]
	level := tier(src)
	if level == simd.Portable {
		return unpackDocsPortable(dst, n, src, low, bit, p, pos, less, prev)
	}
	if pos == byCount {
		pos = p.form()
	}
	if level == simd.AVX2 {
		bitpack.Unpack(dst, src[low:], n, p.Width)
		ok := applyAVX2(&dst[0], unsafe.SliceData(src), uint64(bit), uint64(p.Count), uint64(p.Over), uint64(p.Width), uint64(pos), uint64(n), uint64(less))
		if ok {
			bitpack.PrefixSum(dst[:n], prev)
		}
		return ok
	}
	bitpack.Unpack(dst, src[low:], n, p.Width)
	return applyDocs512(&dst[0], unsafe.SliceData(src), uint64(bit), uint64(p.Count), uint64(p.Over), uint64(p.Width), uint64(pos), uint64(n), less, prev)
}

func fields(dst []uint32, src []byte, bit, width uint, n int) {
	if n > 0 && width > 0 && tier(src) >= simd.AVX512 {
		fields512(&dst[0], unsafe.SliceData(src), uint64(bit), uint64(width), uint64(n))
		return
	}
	fieldsPortable(dst, src, bit, width, n)
}

// lowAndTable returns what the unpackers need. They read 80 bytes where the width is
// 0: from the table, all the bits being masked away.
func lowAndTable(src []byte, low int, width uint) (lowBits, tab *byte) {
	tab = &table[width*tableWidthSize]
	if width == 0 {
		return tab, tab
	}
	return &src[low], tab
}

func listedFreqs(dst []uint32, n int, src []byte, width uint, positions, overflows []uint32) bool {
	if n == bitpack.BlockLen && tier(src) >= simd.AVX512 && cap(positions) >= (len(positions)+15)&^15 && cap(overflows) >= (len(positions)+15)&^15 {
		low, tab := lowAndTable(src, 0, width)
		return positions[len(positions)-1] < uint32(n) &&
			listedFreqs512(&dst[0], &positions[0], &overflows[0], uint64(len(positions)), uint64(width), 0, low, tab)
	}
	return listedFreqsPortable(dst, n, src, width, positions, overflows)
}

func listedDocs(dst []uint32, n int, src []byte, width uint, positions, overflows []uint32, prev uint32) bool {
	if n == bitpack.BlockLen && tier(src) >= simd.AVX512 && cap(positions) >= (len(positions)+15)&^15 && cap(overflows) >= (len(positions)+15)&^15 {
		low, tab := lowAndTable(src, 0, width)
		return positions[len(positions)-1] < uint32(n) &&
			listedDocs512(&dst[0], &positions[0], &overflows[0], uint64(len(positions)), uint64(width), prev, low, tab)
	}
	return listedDocsPortable(dst, n, src, width, positions, overflows, prev)
}

func exceed(count *[33]uint32, v []uint32, full uint) uint32 {
	if simd.Level() >= simd.AVX512 {
		return exceed512(&count[0], &v[0], uint64(len(v)), uint64(full))
	}
	return exceedPortable(count, v, full)
}

// split takes the exceptions out of v, 1 to 128 values, of which those are that need
// more than width bits.
func (e *exceptions) split(v []uint32, width uint) {
	if simd.Level() >= simd.AVX512 {
		split512(&e.positions[0], &e.overflows[0], &e.bitmap[0], &v[0], uint64(len(v)), uint64(width))
		return
	}
	e.splitPortable(v, width)
}
