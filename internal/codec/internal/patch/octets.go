package patch

import (
	"math/bits"
	"unsafe"

	"github.com/pinion-index/pinion/internal/bitpack"
)

// source is memory with bit fields, and at least readable bytes after them.
type source struct{ d unsafe.Pointer }

// readable is how far past the last field a source may be read, in bytes: two words of eight
// fields are read whatever their number.
const readable = 16

// sourceOf returns the fields in src; ok is false where fewer than readable bytes of
// memory follow src.
func sourceOf(src []byte) (b source, ok bool) {
	return source{unsafe.Pointer(unsafe.SliceData(src))}, cap(src)-len(src) >= readable
}

// at returns the bits from bit on, at least 57 of them.
func (b source) at(bit uint) uint64 {
	return *(*uint64)(unsafe.Add(b.d, bit/8)) >> (bit % 8)
}

// at64 returns 64 bits from bit on.
func (b source) at64(bit uint) uint64 {
	next := uint64(*(*byte)(unsafe.Add(b.d, bit/8+8)))
	return b.at(bit) | next<<1<<(63-bit%8)
}

// octets are up to 128 small numbers, eight in a word, the first in its least significant
// byte.
type octets [bitpack.BlockLen / 8]uint64

// octetBits is the width of the widest field that is read into octets.
const octetBits = 7

// each returns x in all eight bytes.
func each(x uint64) uint64 { return x * 0x0101010101010101 }

// spread says how eight fields of one width become eight bytes: halves move apart
// to 32 bits, their halves to 16, and theirs to 8. x * times is x shifted.
type spread struct{ low, times, high [3]uint64 }

var spreads = newSpreads()

func newSpreads() (t [octetBits + 1]spread) {
	for w := range t {
		s := &t[w]
		for i, repeat := range [3]uint64{1, 1<<32 | 1, 1<<48 | 1<<32 | 1<<16 | 1} {
			to, from := 32>>i, (4>>i)*w
			s.low[i] = (1<<from - 1) * repeat
			s.times[i] = 1 << (to - from)
			s.high[i] = s.low[i] << to
		}
	}
	return t
}

func (s *spread) octets(x uint64) uint64 {
	x = x&s.low[0] | x*s.times[0]&s.high[0]
	x = x&s.low[1] | x*s.times[1]&s.high[1]
	return x&s.low[2] | x*s.times[2]&s.high[2]
}

// read reads n fields, 1 to 128, of width bits, at most octetBits, from bit on and adds plus,
// at most 128, to each. The numbers after them, up to a whole word, are zero.
func (v *octets) read(b source, bit, width, n, plus uint) {
	s := &spreads[width&octetBits]
	d, shift := unsafe.Add(b.d, bit/8), bit%8
	words, more := v[:(n+7)/8], each(uint64(plus))
	for i := range words {
		words[i] = s.octets(*(*uint64)(d)>>shift) + more
		d = unsafe.Add(d, width)
	}
	if n %= 8; n > 0 {
		words[len(words)-1] &= 1<<(8*n) - 1
	}
}

// rising reports whether the first n numbers, below 128, rise strictly.
func (v *octets) rising(n uint) bool {
	least, below := uint64(0), uint64(0)
	words := v[:(n+7)/8]
	for i, x := range words {
		next := x + each(1)
		low := ^((x | each(128)) - (next<<8 | least)) // bit 7 where x is less
		if i == len(words)-1 {
			low <<= (64 - 8*n) % 64 // without what is past n
		}
		below |= low
		least = next >> 56
	}
	return below&each(128) == 0
}

// addAt adds the first n numbers, each shifted left by shift, to values at places, which are
// below 128, as rising found.
func (v *octets) addAt(values *[bitpack.BlockLen]uint32, places *octets, n, shift uint) {
	times := uint32(uint64(1) << (shift & 63))
	x, p := v.slice(n), places.slice(n)
	for len(x) >= 8 && len(p) >= 8 {
		*value(values, p[0]) += uint32(x[0]) * times
		*value(values, p[1]) += uint32(x[1]) * times
		*value(values, p[2]) += uint32(x[2]) * times
		*value(values, p[3]) += uint32(x[3]) * times
		*value(values, p[4]) += uint32(x[4]) * times
		*value(values, p[5]) += uint32(x[5]) * times
		*value(values, p[6]) += uint32(x[6]) * times
		*value(values, p[7]) += uint32(x[7]) * times
		x, p = x[8:], p[8:]
	}
}

// addIn adds the first n numbers, each shifted left by shift, to the values whose bits are
// set: n of lo and hi, which are values 0 to 63 and 64 to 127.
func (v *octets) addIn(values *[bitpack.BlockLen]uint32, lo, hi uint64, n, shift uint) {
	times := uint32(uint64(1) << (shift & 63))
	x, half := v.slice(n), (*[bitpack.BlockLen / 2]uint32)(values[:])
	for range 2 {
		for ; lo != 0 && len(x) > 0; lo &= lo - 1 {
			half[bits.TrailingZeros64(lo)%64] += uint32(x[0]) * times
			x = x[1:]
		}
		lo, half = hi, (*[bitpack.BlockLen / 2]uint32)(values[bitpack.BlockLen/2:])
	}
}

// at returns number i.
func (v *octets) at(i uint) uint { return uint(uint8(v[i/8%16] >> (i % 8 * 8))) }

func (v *octets) slice(n uint) []byte {
	return (*[bitpack.BlockLen]byte)(unsafe.Pointer(v))[:(n+7)&^7]
}

// value returns values[i], i being below 128.
func value(values *[bitpack.BlockLen]uint32, i byte) *uint32 {
	return (*uint32)(unsafe.Add(unsafe.Pointer(values), 4*uintptr(i)))
}
