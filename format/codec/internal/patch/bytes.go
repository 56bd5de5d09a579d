package patch

import (
	"math/bits"
	"unsafe"

	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
)

// Source is where the bit fields of a block are.
type Source struct{ d unsafe.Pointer }

// SourceOf returns the fields in src; ok is false where fewer than 8 bytes of memory
// follow src.
func SourceOf(src []byte) (b Source, ok bool) {
	d, ok := start(src)
	return Source{d}, ok
}

// At returns 57 bits and more from bit on, which must lie in src.
func (b Source) At(bit uint) uint64 { return peek(b.d, bit) }

// Bytes are small numbers, eight in a word, the first in its least significant byte.
type Bytes [bitpack.BlockLen / 8]uint64

// ByteBits is the width of the widest field that Bytes hold.
const ByteBits = 7

// Each returns x in all eight bytes.
func each(x uint64) uint64 { return x * 0x0101010101010101 }

// spread is how eight fields of one width become eight bytes: halves are brought apart
// to 32 bits, their halves to 16, and theirs to 8. x * times is x shifted.
type spread struct{ low, times, high [3]uint64 }

var spreads = newSpreads()

func newSpreads() (t [ByteBits + 1]spread) {
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

func (s *spread) bytes(x uint64) uint64 {
	x = x&s.low[0] | x*s.times[0]&s.high[0]
	x = x&s.low[1] | x*s.times[1]&s.high[1]
	return x&s.low[2] | x*s.times[2]&s.high[2]
}

// Read reads n fields, 1 to 128, of width bits, at most ByteBits, from bit on and adds plus,
// at most 128, to each. The numbers after them, up to a whole word, are zero.
func (v *Bytes) Read(b Source, bit, width, n, plus uint) {
	s := &spreads[width&ByteBits]
	d, shift := unsafe.Add(b.d, bit/8), bit%8
	words, more := v[:(n+7)/8], each(uint64(plus))
	for i := range words {
		words[i] = s.bytes(*(*uint64)(d)>>shift) + more
		d = unsafe.Add(d, width)
	}
	if n %= 8; n > 0 {
		words[len(words)-1] &= 1<<(8*n) - 1
	}
}

// Places turns the first n numbers, at most 128 each, from distances, of which the first
// counts from -1, into places. It returns false if one of them is beyond 127.
func (v *Bytes) Places(n uint) bool {
	last, beyond := -each(1), uint64(0)
	words := v[:(n+7)/8]
	for i, x := range words {
		x = each(x) + last // to each byte those before it
		words[i] = x
		beyond |= x // the first place beyond is below 256
		last = each(x >> 56)
	}
	return beyond&each(128) == 0
}

// Rising says whether the first n numbers, below 128, rise strictly.
func (v *Bytes) Rising(n uint) bool {
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

// Sum returns the sum of the first n numbers.
func (v *Bytes) Sum(n uint) uint64 {
	const even = 0x00ff00ff00ff00ff
	sums := uint64(0)
	for _, x := range v[:(n+7)/8] {
		sums += x&even + x>>8&even
	}
	return sums * (1<<48 | 1<<32 | 1<<16 | 1) >> 48
}

// AddAt adds the first n numbers, each shifted left by shift, to values at places, which are
// below 128, as Places or Rising found.
func (v *Bytes) AddAt(values *[bitpack.BlockLen]uint32, places *Bytes, n, shift uint) {
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

// AddIn adds the first n numbers, each shifted left by shift, to the values whose bits are
// set: n of lo and hi, which are values 0 to 63 and 64 to 127.
func (v *Bytes) AddIn(values *[bitpack.BlockLen]uint32, lo, hi uint64, n, shift uint) {
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

// Add adds x, below 128, to number i, and returns false if that is more than 128 then.
func (v *Bytes) Add(i uint, x uint64) bool {
	shift := i % 8 * 8
	sum := v[i/8%16] + x<<shift
	v[i/8%16] = sum
	return sum>>shift&0xff <= 128
}

// At returns number i.
func (v *Bytes) At(i uint) uint { return uint(uint8(v[i/8%16] >> (i % 8 * 8))) }

func (v *Bytes) slice(n uint) []byte {
	return (*[bitpack.BlockLen]byte)(unsafe.Pointer(v))[:(n+7)&^7]
}

// value returns values[i], i being below 128.
func value(values *[bitpack.BlockLen]uint32, i byte) *uint32 {
	return (*uint32)(unsafe.Add(unsafe.Pointer(values), 4*uintptr(i)))
}
