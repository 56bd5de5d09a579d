package bitset

// addDocs sets the bits of docs. Bit 0 of words is document lo. Inlined, its loop would keep its
// variables in memory.
//
//go:noinline
func addDocs(words []uint64, lo uint32, docs []uint32) {
	for _, d := range docs {
		j := d - lo
		if w := uint(j >> 6); w < uint(len(words)) {
			words[w] |= 1 << (j & 63)
		}
	}
}

// matchPortable writes the indexes of the docs whose bits are set to found, which is as long as
// docs, and returns their number.
func matchPortable(words []uint64, lo uint32, docs []uint32, found []uint16) int {
	n := 0
	for i, d := range docs {
		j := d - lo
		if w := uint(j >> 6); w < uint(len(words)) && n < len(found) {
			found[n] = uint16(i)
			n += int(words[w] >> (j & 63) & 1)
		}
	}
	return n
}
