package bytepack

import (
	"encoding/binary"
	"unsafe"
)

var masks = [4]uint32{1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1}

// quad holds where the second, third and fourth of four values begin and where the
// fourth ends, by the four selectors.
type quad [4]uint8

var quads = func() (t [256]quad) {
	for s := range t {
		at := uint8(0)
		for v := range 4 {
			at += uint8(s>>(2*v)&3) + 1
			t[s][v] = at
		}
	}
	return t
}()

// load returns the four bytes at d+at.
func load(d unsafe.Pointer, at uint8) uint32 {
	return *(*uint32)(unsafe.Add(d, uintptr(at)))
}

// unpackGo is unpack without vector instructions.
func unpackGo(dst []uint32, sel, data []byte, n int, prev uint32, k kind) (used int, ok bool) {
	at, i, plus := 0, 0, uint32(0)
	if k == freqsValues {
		plus = 1
	}
	if n >= 4 && len(data) >= 16 {
		quads := unsafe.Slice((*[4]uint32)(unsafe.Pointer(&dst[:n][0])), n/4)
		if k == docsValues {
			i, at = docQuads(quads, sel, data, prev)
		} else {
			i, at = plainQuads(quads, sel, data, plus)
		}
		if i > 0 {
			prev = dst[i-1]
		}
	}
	for ; i < n; i++ {
		c := int(sel[i/4] >> (i % 4 * 2) & 3)
		if at+c >= len(data) {
			return 0, false
		}
		var b [4]byte
		copy(b[:], data[at:at+c+1])
		v := binary.LittleEndian.Uint32(b[:])
		if k == docsValues {
			prev += v + 1
			v = prev
		}
		dst[i] = v + plus
		at += c + 1
	}
	return at, spareZero(sel, n)
}

// plainQuads unpacks values, plus plus, four by four, while 16 bytes of data are
// left, and returns how many values and bytes that was.
func plainQuads(dst [][4]uint32, sel, data []byte, plus uint32) (n, used int) {
	d, last := unsafe.Pointer(&data[0]), len(data)-16
	sel = sel[:len(dst)]
	for i, s := range sel {
		if used > last {
			return 4 * i, used
		}
		at, q, o := unsafe.Add(d, used), &quads[s], &dst[i]
		o[0] = load(at, 0)&masks[s&3] + plus
		o[1] = load(at, q[0])&masks[s>>2&3] + plus
		o[2] = load(at, q[1])&masks[s>>4&3] + plus
		o[3] = load(at, q[2])&masks[s>>6] + plus
		used += int(q[3])
	}
	return 4 * len(dst), used
}

// docQuads is plainQuads for gaps less one, which it sums up. Subtracting the
// complement of a gap less one adds the gap.
func docQuads(dst [][4]uint32, sel, data []byte, prev uint32) (n, used int) {
	d, last := unsafe.Pointer(&data[0]), len(data)-16
	sel = sel[:len(dst)]
	for i, s := range sel {
		if used > last {
			return 4 * i, used
		}
		at, q, o := unsafe.Add(d, used), &quads[s], &dst[i]
		prev -= ^(load(at, 0) & masks[s&3])
		o[0] = prev
		prev -= ^(load(at, q[0]) & masks[s>>2&3])
		o[1] = prev
		prev -= ^(load(at, q[1]) & masks[s>>4&3])
		o[2] = prev
		prev -= ^(load(at, q[2]) & masks[s>>6])
		o[3] = prev
		used += int(q[3])
	}
	return 4 * len(dst), used
}
