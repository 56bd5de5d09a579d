package bitpack

import "github.com/pinion-index/pinion/format"

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
	if width == 0 {
		clear(dst[:])
		return
	}
	unpackLanes(dst[:], format.Uint32s(src[:VectorSize*width]), width, 0)
}

func freqsPortable(dst *[BlockLen]uint32, src []byte, width uint) {
	if width == 0 {
		for i := range dst {
			dst[i] = 1
		}
		return
	}
	unpackLanes(dst[:], format.Uint32s(src[:VectorSize*width]), width, 1)
}

func docsPortable(dst *[BlockLen]uint32, src []byte, width uint, prev uint32) {
	if width == 0 {
		for i := range dst {
			prev++
			dst[i] = prev
		}
		return
	}
	sumRows(dst, format.Uint32s(src[:VectorSize*width]), width, prev)
}

func sumPortable(v []uint32, prev uint32) {
	for i, x := range v {
		prev -= ^x // adds x+1, in one step of the chain
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
