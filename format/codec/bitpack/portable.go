package bitpack

import (
	"unsafe"

	"github.com/pinion-index/pinion/format"
)

func orPortable(v []uint32) uint32 {
	var o uint32
	for _, x := range v {
		o |= x
	}
	return o
}

func packPortable(dst []byte, v []uint32, width uint) {
	packLanes(format.Uint32s(dst[:VectorSize*width]), v, width)
}

func plainPortable(dst *[BlockLen]uint32, src []byte, width uint) {
	unpackPortable(dst, src, width, 0)
}

func freqsPortable(dst *[BlockLen]uint32, src []byte, width uint) {
	unpackPortable(dst, src, width, 1)
}

// unpackPortable unpacks values and adds plus to each, mod 2^32.
func unpackPortable(dst *[BlockLen]uint32, src []byte, width uint, plus uint32) {
	switch width {
	case 0:
		for i := range dst {
			dst[i] = plus
		}
	case MaxWidth:
		for i, x := range format.Uint32s(src[:4*BlockLen]) {
			dst[i] = x + plus
		}
	default:
		unpackLanes((*[4 * BlockLen]byte)(unsafe.Pointer(dst)), src[:VectorSize*width], width, plus)
	}
}

func docsPortable(dst *[BlockLen]uint32, src []byte, width uint, prev uint32) {
	switch width {
	case 0:
		for i := range dst {
			prev++
			dst[i] = prev
		}
	case MaxWidth:
		unpackPortable(dst, src, width, 0)
		sumPortable(dst[:], prev)
	default:
		sumRows(dst, src[:VectorSize*width], width, prev)
	}
}

func sumPortable(v []uint32, prev uint32) {
	for ; len(v) >= 8; v = v[8:] {
		prev -= ^v[0] // adds one more than v[0], in one step of the chain
		v[0] = prev
		prev -= ^v[1]
		v[1] = prev
		prev -= ^v[2]
		v[2] = prev
		prev -= ^v[3]
		v[3] = prev
		prev -= ^v[4]
		v[4] = prev
		prev -= ^v[5]
		v[5] = prev
		prev -= ^v[6]
		v[6] = prev
		prev -= ^v[7]
		v[7] = prev
	}
	for i, x := range v {
		prev -= ^x
		v[i] = prev
	}
}

func gapsPortable(gaps, docs []uint32, prev uint32) (or uint32, ok bool) {
	bad := uint32(0)
	for i, d := range docs {
		g := d - prev - 1
		gaps[i] = g
		or |= g
		// d <= prev shows as a gap of 2^31 or more, once both are below 2^31.
		bad |= d | g
		prev = d
	}
	return or, bad>>31 == 0
}

func lessOnePortable(dst, v []uint32) (or uint32, ok bool) {
	ok = true
	for i, x := range v {
		ok = ok && x != 0
		dst[i] = x - 1
		or |= x - 1
	}
	return or, ok
}
