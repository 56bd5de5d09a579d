package bytepack

import "unsafe"

// longest is the most bytes that four values take, with their selectors.
const longest = 1 + 4*4

// quad is what the selectors of four values say of them: the bits that each has, and
// where the second, third and fourth begin and the fourth ends.
type quad struct {
	masks [4]uint32
	at    [4]uint8
	_     [12]uint8 // 32 bytes, so that an address is a shift
}

var quads = newQuads()

// lengths holds quad.at[3] in a table of its own: the next quad waits for nothing else.
var lengths = newLengths()

func newQuads() (t [256]quad) {
	for s := range t {
		at := uint8(0)
		for v := range 4 {
			at += uint8(s>>(2*v)&3) + 1
			t[s].at[v] = at
			t[s].masks[v] = 1<<(8*(s>>(2*v)&3)+8) - 1
		}
	}
	return t
}

func newLengths() (t [256]uint8) {
	for s := range t {
		t[s] = quads[s].at[3]
	}
	return t
}

// load returns the four bytes at d+at.
func load(d unsafe.Pointer, at uint8) uint32 {
	return *(*uint32)(unsafe.Add(d, uintptr(at)))
}

// start returns dst four by four, where data begins, and the last place in it from which the
// longest four values can be read within its capacity; nothing if that is too short.
func start(dst []uint32, data []byte) (out [][4]uint32, d unsafe.Pointer, last int) {
	if len(dst) < 4 || cap(data) < longest {
		return nil, nil, 0
	}
	out = unsafe.Slice((*[4]uint32)(unsafe.Pointer(&dst[0])), len(dst)/4)
	return out, unsafe.Pointer(unsafe.SliceData(data)), min(len(data), cap(data)-longest)
}

// freqQuads begins UnpackFreqs: it unpacks four values at a time while the longest four can be
// read of data or past its length. It returns how many values and bytes that was, more bytes
// than data has if it is broken, and the bitwise or of the results.
func freqQuads(dst []uint32, sel, data []byte) (n, used int, or uint64) {
	out, d, last := start(dst, data)
	for i := range out {
		if used > last {
			return 4 * i, used, or
		}
		var s byte
		if sel != nil {
			s = sel[i]
		} else {
			s = *(*byte)(unsafe.Add(d, used))
			used++
		}
		at, q, o := unsafe.Add(d, used), &quads[s], &out[i]
		used += int(lengths[s])
		x := uint64(load(at, 0)&q.masks[0]) + 1
		o[0], or = uint32(x), or|x
		x = uint64(load(at, q.at[0])&q.masks[1]) + 1
		o[1], or = uint32(x), or|x
		x = uint64(load(at, q.at[1])&q.masks[2]) + 1
		o[2], or = uint32(x), or|x
		x = uint64(load(at, q.at[2])&q.masks[3]) + 1
		o[3], or = uint32(x), or|x
	}
	return 4 * len(out), used, or
}

// docQuads is freqQuads for UnpackDocs. next is one more than the docID before, and after one
// more than the last.
func docQuads(dst []uint32, sel, data []byte, next uint64) (n, used int, after uint64) {
	out, d, last := start(dst, data)
	for i := range out {
		if used > last {
			return 4 * i, used, next
		}
		var s byte
		if sel != nil {
			s = sel[i]
		} else {
			s = *(*byte)(unsafe.Add(d, used))
			used++
		}
		at, q, o := unsafe.Add(d, used), &quads[s], &out[i]
		used += int(lengths[s])
		next += uint64(load(at, 0) & q.masks[0])
		o[0] = uint32(next)
		next += uint64(load(at, q.at[0])&q.masks[1]) + 1
		o[1] = uint32(next)
		next += uint64(load(at, q.at[1])&q.masks[2]) + 1
		o[2] = uint32(next)
		next += uint64(load(at, q.at[2])&q.masks[3]) + 1
		o[3] = uint32(next)
		next++
	}
	return 4 * len(out), used, next
}
