package bytepack

import (
	"encoding/binary"
	"unsafe"

	"github.com/pinion-index/pinion/format/codec"
)

// quad is what the selectors of four values say of them: the bits that each has, and
// where the second, third and fourth begin and the fourth ends.
type quad struct {
	masks [4]uint32
	at    [4]uint8
	_     [12]uint8 // 32 bytes, so that an address is a shift
}

var quads = newQuads()

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
	if wide := widen(data, 16); n >= 4 && len(wide) >= 16 {
		quads := unsafe.Slice((*[4]uint32)(unsafe.Pointer(&dst[:n][0])), n/4)
		if k == docsValues {
			i, at = docQuads(quads, sel, wide, prev)
		} else {
			i, at = plainQuads(quads, sel, wide, plus)
		}
		if at > len(data) {
			return 0, false
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

// widen returns data with n more bytes, if memory that may be read goes on so far.
func widen(data []byte, n int) []byte {
	if cap(data)-len(data) < n {
		return data
	}
	return data[:len(data)+n]
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
		used += int(q.at[3])
		o[0] = load(at, 0)&q.masks[0] + plus
		o[1] = load(at, q.at[0])&q.masks[1] + plus
		o[2] = load(at, q.at[1])&q.masks[2] + plus
		o[3] = load(at, q.at[2])&q.masks[3] + plus
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
		used += int(q.at[3])
		prev -= ^(load(at, 0) & q.masks[0])
		o[0] = prev
		prev -= ^(load(at, q.at[0]) & q.masks[1])
		o[1] = prev
		prev -= ^(load(at, q.at[1]) & q.masks[2])
		o[2] = prev
		prev -= ^(load(at, q.at[2]) & q.masks[3])
		o[3] = prev
	}
	return 4 * len(dst), used
}

// docsRunGo is docsRun without vector instructions.
func docsRunGo(dst []uint32, s *codec.Sequence, block, count, size int, sel *byte) int {
	if (block+count)*size > s.N {
		return 0
	}
	prev := s.Prev(block)
	for i, last := range s.Last[block : block+count] {
		own, data, ok := fullBlock(s, block, i, size, sel)
		if !ok {
			return i
		}
		d, wide := dst[i*size:][:size], widen(data, 16)
		n, used := docQuads(unsafe.Slice((*[4]uint32)(unsafe.Pointer(&d[0])), size/4), own, wide, prev)
		if n < size || used > len(data) || !paddingOK(data, used) ||
			codec.CheckLast(d[size-1], last, prev, size) != nil || CheckSums(d, own, prev) != nil {
			return i
		}
		prev = last
	}
	return count
}

// freqsRunGo is freqsRun without vector instructions.
func freqsRunGo(dst []uint32, s *codec.Sequence, block, count, size int, sel *byte) int {
	if (block+count)*size > s.N {
		return 0
	}
	for i := range count {
		own, data, ok := fullBlock(s, block, i, size, sel)
		if !ok {
			return i
		}
		d, wide := dst[i*size:][:size], widen(data, 16)
		n, used := plainQuads(unsafe.Slice((*[4]uint32)(unsafe.Pointer(&d[0])), size/4), own, wide, 1)
		if n < size || used > len(data) || !paddingOK(data, used) || Wide(own) {
			return i
		}
	}
	return count
}

// fullBlock returns selectors and data of block from+i, of size values; the selectors of
// blocks begin with those of block from at sel, or each block begins with its own. ok is
// false where fewer than 16 bytes of memory follow it.
func fullBlock(s *codec.Sequence, from, i, size int, sel *byte) (own, data []byte, ok bool) {
	lo, hi := uint(s.Ends[from+i])*4, uint(s.Ends[from+i+1])*4
	if lo > hi || hi > uint(len(s.Payload)) || cap(s.Payload)-len(s.Payload) < 16 {
		return nil, nil, false
	}
	data = s.Payload[lo:hi]
	if sel != nil {
		return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(sel), i*size/4)), size/4), data, true
	}
	if len(data) < size/4 {
		return nil, nil, false
	}
	return data[:size/4], data[size/4:], true
}
