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

// appendCompact appends the bit stream of a list of a segment of n documents.
func appendCompact(dst []byte, docs, freqs []uint32, n uint32) []byte {
	w := bitWriter{dst: dst}
	var u smallDocs
	for i, d := range docs {
		u[i+1] = d - uint32(i)
	}
	u[len(docs)+1] = n - uint32(len(docs))
	for _, s := range stepsFor(len(docs)) {
		v := u[s.mid] - u[s.low]
		r := u[s.high] - u[s.low] + 1
		k := uint(bits.Len32(r)-1) & 31
		if short := uint32(2)<<k - r; v < short {
			w.put(v, k)
		} else {
			v += short
			w.put(v>>1|v&1<<k, k+1)
		}
	}
	for _, f := range freqs {
		k := uint(bits.Len32(f)-1) & 31
		if k < 16 {
			w.put((f&(1<<k-1)<<1|1)<<k, 2*k+1)
			continue
		}
		w.put(0, k)
		w.put(1, 1)
		w.put(f&(1<<k-1), k)
	}
	return w.flush()
}

// appendCompactEntry appends the entry of a compact list of n postings.
func appendCompactEntry(dst []byte, n int, stream []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(n)<<2|entryCompact)
	dst = binary.AppendUvarint(dst, uint64(len(stream)))
	return append(dst, stream...)
}
