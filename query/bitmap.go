package query

import "math/bits"

// bitmap is a set of documents that are near each other.
type bitmap struct {
	lo    uint32 // first document of words
	words []uint64
	used  int // words that may not be zero
	found []uint16
}

// fill makes the documents of lists members of the empty set.
func (b *bitmap) fill(lists []stretch) {
	lo, hi := uint32(end), uint32(0)
	for i := range lists {
		if d := lists[i].docs; len(d) > 0 {
			lo, hi = min(lo, d[0]), max(hi, d[len(d)-1])
		}
	}
	b.lo, b.used = lo&^63, 0
	if lo > hi {
		return
	}
	b.used = int((hi-b.lo)/64) + 1
	if b.used > len(b.words) {
		b.words = make([]uint64, b.used)
	}
	words := b.words[:b.used]
	for i := range lists {
		for _, d := range lists[i].docs {
			j := d - b.lo
			if word := uint(j >> 6); word < uint(len(words)) { // always, but for damage
				words[word] |= 1 << (j & 63)
			}
		}
	}
}

// clear empties the set.
func (b *bitmap) clear() {
	clear(b.words[:b.used])
	b.used = 0
}

// next returns the first member from doc on, or end.
func (b *bitmap) next(doc uint32) uint32 {
	j := max(doc, b.lo) - b.lo
	i := int(j >> 6)
	if i >= b.used {
		return end
	}
	if m := b.words[i] >> (j & 63); m != 0 {
		return b.lo + j + uint32(bits.TrailingZeros64(m))
	}
	for i++; i < b.used; i++ {
		if m := b.words[i]; m != 0 {
			return b.lo + uint32(i*64+bits.TrailingZeros64(m))
		}
	}
	return end
}

// match returns the indexes of the members among docs, of which there are at most
// 65536; valid until the next call.
func (b *bitmap) match(docs []uint32) []uint16 {
	if cap(b.found) < len(docs) {
		b.found = make([]uint16, max(len(docs), 1024))
	}
	found, n := b.found[:len(docs)], 0
	words, lo := b.words[:b.used], b.lo
	for i, d := range docs {
		j := d - lo
		if word := uint(j >> 6); word < uint(len(words)) && n < len(found) {
			found[n] = uint16(i)
			n += int(words[word] >> (j & 63) & 1)
		}
	}
	return found[:n]
}
