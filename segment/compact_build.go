package segment

import (
	"encoding/binary"
	"math/bits"
)

// bitWriter appends bits, least significant first.
type bitWriter struct {
	dst []byte
	w   uint64
	n   uint // bits in w, below 32 between calls
}

// put appends the low n bits of v, which has no others; n is at most 32.
func (b *bitWriter) put(v uint32, n uint) {
	b.w |= uint64(v) << b.n
	b.n += n
	if b.n >= 32 {
		b.dst = binary.LittleEndian.AppendUint32(b.dst, uint32(b.w))
		b.w >>= 32
		b.n -= 32
	}
}

// flush pads with zero bits to a byte and returns the bytes.
func (b *bitWriter) flush() []byte {
	for ; b.n > 0; b.n -= min(b.n, 8) {
		b.dst = append(b.dst, byte(b.w))
		b.w >>= 8
	}
	return b.dst
}

// appendCompact appends the bit stream of a list with docIDs 0 to max.
func appendCompact(dst []byte, docs, freqs []uint32, max uint32) []byte {
	w := bitWriter{dst: dst}
	w.interpolative(docs, 0, max)
	for _, f := range freqs {
		if f == 1 {
			w.put(1, 1)
			continue
		}
		k := uint(bits.Len32(f)) - 1
		w.put(0, k)
		w.put(1, 1)
		w.put(f&(1<<k-1), k)
	}
	return w.flush()
}

// interpolative appends docs, all from lo to hi: the middle one in truncated
// binary among the values that leave room for the others, then each half.
func (b *bitWriter) interpolative(docs []uint32, lo, hi uint32) {
	for len(docs) > 0 {
		m := len(docs) / 2
		v := docs[m]
		l := lo + uint32(m)
		r := hi - uint32(len(docs)-1-m) - l + 1
		k := uint(bits.Len32(r)) - 1
		short := uint32(2)<<k - r
		if x := v - l; x < short {
			b.put(x, k)
		} else {
			x += short
			b.put(x>>1, k)
			b.put(x&1, 1)
		}
		if m > 0 {
			b.interpolative(docs[:m], lo, v-1)
		}
		docs, lo = docs[m+1:], v+1
	}
}

// appendCompactEntry appends the entry of a compact list of n postings.
func appendCompactEntry(dst []byte, n int, stream []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(n)<<2|entryCompact)
	dst = binary.AppendUvarint(dst, uint64(len(stream)))
	return append(dst, stream...)
}
