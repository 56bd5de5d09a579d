package posblock

import "encoding/binary"

// bitWriter appends numbers to a slice, the least significant bits first.
type bitWriter struct {
	b []byte
	w uint64 // bits that do not fill a byte yet
	n uint   // number of bits in w, below 8 between calls
}

// put appends the low n bits of v, whose other bits are zero; n is at most 56.
func (w *bitWriter) put(v uint64, n uint) {
	w.w |= v << (w.n & 63)
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.b = append(w.b, byte(w.w))
		w.w >>= 8
	}
}

// unary appends q zeros and a one.
func (w *bitWriter) unary(q uint32) {
	for ; q > 55; q -= 56 {
		w.put(0, 56)
	}
	w.put(1<<(q&63), uint(q)+1)
}

// done fills the last byte with zeros and returns all bytes.
func (w *bitWriter) done() []byte {
	if w.n > 0 {
		w.b = append(w.b, byte(w.w))
		w.w, w.n = 0, 0
	}
	return w.b
}

// loadedBits is the least number of bits that load returns.
const loadedBits = 57

// load returns at least loadedBits bits of b from bit pos on. Behind b they are arbitrary.
func load(b []byte, pos uint) uint64 {
	i := pos >> 3
	if b := b[:cap(b)]; i+8 <= uint(len(b)) {
		return binary.LittleEndian.Uint64(b[i:]) >> (pos & 7)
	}
	return loadEnd(b, i) >> (pos & 7)
}

// loadEnd returns the bytes of b from i on, up to 8.
func loadEnd(b []byte, i uint) (w uint64) {
	for at := uint(0); at < 8 && i+at < uint(len(b)); at++ {
		w |= uint64(b[i+at]) << (8 * at)
	}
	return w
}

// bytesOf returns the number of bytes of n numbers of width bits.
func bytesOf(n int, width uint) int { return int((uint(n)*width + 7) / 8) }

// unpack writes numbers of width bits, 0 to 31, that begin at bit pos of b to dst.
func unpack(dst []uint32, b []byte, pos, width uint) {
	if width == 0 {
		clear(dst)
		return
	}
	mask, per := uint32(1)<<width-1, loadedBits/int(width) // as many as one load has
	for len(dst) > 0 {
		w := load(b, pos)
		n := min(per, len(dst))
		for i := range dst[:n] {
			dst[i] = uint32(w) & mask
			w >>= width & 63
		}
		dst, pos = dst[n:], pos+uint(n)*width
	}
}
