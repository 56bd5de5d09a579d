package compact

import (
	"math/bits"
	"unsafe"
)

// bitWriter appends bits, least significant first, at p, which has room for them and 8 more
// bytes. It is a value, so that it stays in registers.
type bitWriter struct {
	p unsafe.Pointer
	w uint64 // bits that do not fill a byte yet
	n uint   // number of bits in w, below 8 between calls
}

// put appends the low n bits of v, whose other bits are zero; n is at most 56.
func (b bitWriter) put(v uint64, n uint) bitWriter {
	b.w |= v << (b.n & 63)
	b.n += n
	*(*uint64)(b.p) = b.w
	return bitWriter{unsafe.Add(b.p, b.n>>3), b.w >> (b.n & 56), b.n & 7}
}

// unary appends q zeros and a one.
func (b bitWriter) unary(q uint32) bitWriter {
	for ; q > 55; q -= 56 {
		b = b.put(0, 56)
	}
	return b.put(1<<(q&63), uint(q)+1)
}

// riceParameter returns how many low bits of a gap are stored in binary, for n gaps with
// the given sum: the optimum for a geometric distribution. For any distribution the unary
// parts take at most 4 bits a gap on average.
func riceParameter(sum, n uint32) uint {
	return uint(max(bits.Len32(uint32(uint64(sum)*69/100/uint64(n))), 1) - 1)
}

// Room is enough for any compact list, with 127 gaps of 31+4 bits and frequencies of 63
// bits, and for the bytes that a bitWriter writes past the end.
const Room = 2048

// Encode writes a list of 2 to 127 postings of a segment of n documents to buf and returns
// its bytes.
func Encode(buf *[Room]byte, docs, freqs []uint32, n uint32) []byte {
	gaps := uint32(len(docs) - 1)
	k := riceParameter(docs[gaps]-docs[0]-gaps, gaps)
	above := uint32(0)
	for _, f := range freqs {
		above |= f ^ 1
	}
	head := uint64(k)
	if above == 0 {
		head |= 1 << lowBits
	}
	w := bitWriter{p: unsafe.Pointer(buf)}
	w = w.put(head|uint64(docs[0])<<headBits, headBits+firstWidth(n))
	prev, mask := docs[0]+1, uint32(1)<<(k&31)-1
	for _, d := range docs[1:] {
		w = w.put(uint64((d-prev)&mask), k)
		prev = d + 1
	}
	prev = docs[0] + 1
	for _, d := range docs[1:] {
		q := (d - prev) >> (k & 31)
		if q > 55 {
			w = w.unary(q)
		} else {
			w = w.put(1<<(q&63), uint(q)+1)
		}
		prev = d + 1
	}
	if above != 0 {
		w = w.freqs(freqs)
	}
	size := int(uintptr(w.p)-uintptr(unsafe.Pointer(buf))) + int(w.n+7)/8
	return buf[:size]
}

// freqs appends the encoded frequencies.
func (b bitWriter) freqs(freqs []uint32) bitWriter {
	for _, f := range freqs {
		k := uint(bits.Len32(f)-1) & 31
		b = b.put(1<<k, k+1)
	}
	for _, f := range freqs {
		if f > 1 {
			k := uint(bits.Len32(f)-1) & 31
			b = b.put(uint64(f&(1<<k-1)), k)
		}
	}
	return b
}
