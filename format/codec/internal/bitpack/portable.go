package bitpack

import (
	"unsafe"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
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
		sumRows(dst, (*[4 * BlockLen]byte)(unsafe.Pointer(&ones)), src[:VectorSize*width], width, prev)
	}
}

// runWidth is the widest gap, in bits, of blocks that docsRunPortable decodes: up to 256 of
// them sum to at most 2^32, so that they end where they should only if they did not wrap.
const runWidth = 24

// docsRunPortable is DocsRun in Go.
func docsRunPortable(dst []uint32, s *codec.Sequence, block, count, size int) int {
	shift := 4 + uint(size)/(2*BlockLen) // of the bytes that a bit of width takes
	ends, lasts, prev := s.Ends[block:block+count+1], s.Last[block:block+count], s.Prev(block)
	at := uint(ends[0]) * 4
	for i, want := range lasts {
		end := uint(ends[i+1]) * 4
		width := (end - at) >> shift // huge if end is less
		if width > runWidth || width<<shift != end-at || end > uint(len(s.Payload)) {
			return i
		}
		d := (*[BlockLen]uint32)(dst[i*size:])
		docsPortable(d, s.Payload[at:end], width, prev)
		last := d[BlockLen-1]
		if size > BlockLen {
			d = (*[BlockLen]uint32)(dst[i*size+BlockLen:])
			docsPortable(d, s.Payload[at+width*VectorSize:end], width, last)
			last = d[BlockLen-1]
		}
		if codec.CheckLast(last, want, prev, size) != nil {
			return i
		}
		at, prev = end, last
	}
	return count
}

// ones is the difference of a gap from what is stored of it, for the gaps of eight blocks.
var ones = newOnes()

func newOnes() (b [8 * BlockLen]uint32) {
	for i := range b {
		b[i] = 1
	}
	return b
}

// AddDocs is UnpackDocs of a full block, without vectors, for gaps of which only a part is
// in src; dst has the rest before, Ones and what else there is. Where a gap is 2^32 or
// more, what it loses may come up in the next.
func AddDocs(dst *[BlockLen]uint32, src []byte, width uint, prev uint32) {
	switch width {
	case 0:
	case MaxWidth:
		for i, x := range format.Uint32s(src[:4*BlockLen]) {
			dst[i] += x
		}
	default:
		sumRows(dst, (*[4 * BlockLen]byte)(unsafe.Pointer(dst)), src[:VectorSize*width], width, prev)
		return
	}
	for i, x := range dst {
		prev += x
		dst[i] = prev
	}
}

// Ones sets all of dst, at most 1024 values, to one.
func Ones(dst []uint32) { copy(dst, ones[:]) }

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
