package bitset

import (
	"math/bits"
	"slices"
)

// The functions of this file are for bitmaps of a range of documents. Where a has fewer words than dst, the others
// are zero.

// Copy makes dst a.
func Copy(dst, a []uint64) { clear(dst[copy(dst, a):]) }

// Or adds the members of a to dst.
func Or(dst, a []uint64) {
	n := min(len(dst), len(a))
	dst, a = dst[:n], a[:n]
	for i, w := range a {
		dst[i] |= w
	}
}

// And removes from dst what is not in a.
func And(dst, a []uint64) {
	n := min(len(dst), len(a))
	clear(dst[n:])
	dst, a = dst[:n], a[:n]
	for i, w := range a {
		dst[i] &= w
	}
}

// AndNot removes the members of a from dst.
func AndNot(dst, a []uint64) {
	n := min(len(dst), len(a))
	dst, a = dst[:n], a[:n]
	for i, w := range a {
		dst[i] &^= w
	}
}

// Count returns the number of members of a.
func Count(a []uint64) (n int) {
	for _, w := range a {
		n += bits.OnesCount64(w)
	}
	return n
}

// AppendDocs appends the members of a, whose bit 0 is document lo, to docs in ascending order.
func AppendDocs(docs []uint32, a []uint64, lo uint32) []uint32 {
	n := len(docs)
	docs = slices.Grow(docs, Count(a))
	all := docs[:cap(docs)]
	for _, w := range a {
		for ; w != 0 && n < len(all); w &= w - 1 {
			all[n] = lo + uint32(bits.TrailingZeros64(w))
			n++
		}
		lo += 64
	}
	return all[:n]
}

// Add sets the bits of docs in a, whose bit 0 is document lo. It ignores documents out of range.
func Add(a []uint64, lo uint32, docs []uint32) { addDocs(a, lo, docs) }

// Members returns how many of docs are members of a, whose bit 0 is document lo.
func Members(a []uint64, lo uint32, docs []uint32) (n int) {
	for _, d := range docs {
		j := d - lo
		if w := uint(j >> 6); w < uint(len(a)) {
			n += int(a[w] >> (j & 63) & 1)
		}
	}
	return n
}

// Keep keeps those of docs that are members of a, whose bit 0 is document lo, or with not those that are no members.
// It does not branch on that, since it is hard to predict.
func Keep(docs []uint32, a []uint64, lo uint32, not bool) []uint32 {
	n, flip := 0, uint64(0)
	if not {
		flip = 1
	}
	for _, d := range docs {
		docs[n] = d
		bit, j := uint64(0), d-lo
		if w := uint(j >> 6); w < uint(len(a)) {
			bit = a[w] >> (j & 63) & 1
		}
		n += int(bit ^ flip)
	}
	return docs[:n]
}

// Subtract removes some of docs, which ascend, from them. It does not branch on which.
func Subtract(docs, some []uint32) []uint32 {
	n, j := 0, 0
	for i, d := range docs {
		if j == len(some) {
			return docs[:n+copy(docs[n:], docs[i:])]
		}
		docs[n] = d
		same := int((uint64(d^some[j]) - 1) >> 63)
		j += same
		n += 1 - same
	}
	return docs[:n]
}

// Merge appends the union of a and b, which ascend, to dst. It does not branch on which is next.
func Merge(dst, a, b []uint32) []uint32 {
	n := len(dst)
	dst = slices.Grow(dst, len(a)+len(b))[:n+len(a)+len(b)]
	i, j := 0, 0
	for i < len(a) && j < len(b) && n < len(dst) {
		x, y := a[i], b[j]
		dst[n] = min(x, y)
		i += 1 - int((uint64(y)-uint64(x))>>63) // x <= y
		j += 1 - int((uint64(x)-uint64(y))>>63) // y <= x
		n++
	}
	n += copy(dst[n:], a[i:])
	n += copy(dst[n:], b[j:])
	return dst[:n]
}
