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

// The loops over packed values process a row at a time, as two words of two lanes each. A
// shift moves bits of a word's upper lane into its lower lane; masks clear them.

// rows is a block of 128 values by rows.
type rows = [BlockLen / 4][2]uint64

// vectors returns the vectors of a block, or a vector of zeros if it has none.
func vectors(p []byte, width uint) [][2]uint64 {
	if width == 0 {
		return make([][2]uint64, 1)
	}
	return unsafe.Slice((*[2]uint64)(unsafe.Pointer(unsafe.SliceData(p[:VectorSize*width]))), width)
}

// lanes returns x, which is less than 2^32, in both lanes.
func lanes(x uint64) uint64 { return x<<32 | x }

// packPortable packs 128 values of width bits; higher bits are dropped.
func packPortable(dst []byte, v *[BlockLen]uint32, width uint) {
	packed, mask := vectors(dst, width), lanes(1<<width-1)
	var x, y uint64 // the vector that is not yet full
	bit, next := uint(0), 0
	for _, row := range (*rows)(unsafe.Pointer(v)) {
		a, b := row[0]&mask, row[1]&mask
		at := bit % 32
		low := lanes(1<<(32-at) - 1) // the bits that fit in the vector
		x, y = x|a&low<<at, y|b&low<<at
		if at+width >= 32 {
			packed[next] = [2]uint64{x, y}
			next++
			x, y = a&^low>>(32-at), b&^low>>(32-at)
		}
		bit += width
	}
}

// unpackPortable unpacks 128 values of width bits and adds plus to each, mod 2^32.
func unpackPortable(dst *[BlockLen]uint32, src []byte, width uint, plus uint32) {
	packed, out := vectors(src, width), (*rows)(unsafe.Pointer(dst))
	mask, add := lanes(1<<width-1), lanes(uint64(plus))
	switch {
	case width == 0 || width == MaxWidth:
		clear(dst[:])
		copy(dst[:], format.Uint32s(src[:VectorSize*width]))
		for i := range dst {
			dst[i] += plus // element by element, since it may carry out of a lane
		}
	case width <= 8: // four rows at a time
		for i := 0; i < len(out); i += 4 {
			x, y := window(packed, uint(i)*width, 4*width)
			out[i][0], out[i][1] = x&mask+add, y&mask+add
			x, y = x>>width, y>>width
			out[i+1][0], out[i+1][1] = x&mask+add, y&mask+add
			x, y = x>>width, y>>width
			out[i+2][0], out[i+2][1] = x&mask+add, y&mask+add
			x, y = x>>width, y>>width
			out[i+3][0], out[i+3][1] = x&mask+add, y&mask+add
		}
	case width <= 16: // two
		for i := 0; i < len(out); i += 2 {
			x, y := window(packed, uint(i)*width, 2*width)
			out[i][0], out[i][1] = x&mask+add, y&mask+add
			x, y = x>>width, y>>width
			out[i+1][0], out[i+1][1] = x&mask+add, y&mask+add
		}
	default:
		for i := range out {
			x, y := window(packed, uint(i)*width, width)
			out[i][0], out[i][1] = x&mask+add, y&mask+add
		}
	}
}

// window returns n bits, at most 32, of each lane from bit on. Higher bits are undefined.
func window(packed [][2]uint64, bit, n uint) (x, y uint64) {
	v, at := &packed[bit/32], bit%32
	x, y = v[0]>>at, v[1]>>at
	if at+n > 32 { // they continue in the next vector
		v, have := &packed[bit/32+1], 32-at
		low := lanes(1<<have - 1)
		x, y = x&low|v[0]<<have&^low, y&low|v[1]<<have&^low
	}
	return x, y
}

// docsPortable unpacks 128 gaps minus one of width bits into docIDs after prev. It and
// AddDocs repeat the body of window, because a call per row takes 50 % longer.
func docsPortable(dst *[BlockLen]uint32, src []byte, width uint, prev uint32) {
	packed, mask := vectors(src, width), lanes(1<<width-1)
	bit := uint(0)
	for i := 0; i < BlockLen; i += 4 {
		v, at := &packed[bit/32], bit%32
		x, y := v[0]>>at, v[1]>>at
		if at+width > 32 {
			v, have := &packed[bit/32+1], 32-at
			low := lanes(1<<have - 1)
			x, y = x&low|v[0]<<have&^low, y&low|v[1]<<have&^low
		}
		bit += width
		x, y = x&mask, y&mask
		prev -= ^uint32(x) // adds one more than x
		dst[i] = prev
		prev -= ^uint32(x >> 32)
		dst[i+1] = prev
		prev -= ^uint32(y)
		dst[i+2] = prev
		prev -= ^uint32(y >> 32)
		dst[i+3] = prev
	}
}

func sumPortable(v []uint32, prev uint32) {
	for i, x := range v {
		prev -= ^x // adds one more than x, in one step of the chain
		v[i] = prev
	}
}

func gapsPortable(gaps, docs []uint32, prev uint32) (or uint32, ok bool) {
	bad := uint32(0)
	for i, d := range docs {
		g := d - prev - 1
		gaps[i] = g
		or |= g
		// if both are less than 2^31, d <= prev gives a gap of at least 2^31
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
