package docset

import (
	"iter"
	"math/bits"
	"slices"
)

// Bits is a set of documents of a segment that changes: a bitmap whose bit 0 is document 0. A nil *Bits is empty.
type Bits struct {
	words []uint64
	n     uint32
}

// NewBits returns a set that changes, with the members of s.
func NewBits(s *Set) *Bits {
	b := &Bits{}
	b.AddSet(s)
	return b
}

// BitsOf returns a set that changes, with docs.
func BitsOf(docs ...uint32) *Bits {
	b := &Bits{}
	for _, doc := range docs {
		b.Add(doc)
	}
	return b
}

// Len returns the number of members.
func (b *Bits) Len() uint32 {
	if b == nil {
		return 0
	}
	return b.n
}

// Contains reports whether a document is a member.
func (b *Bits) Contains(doc uint32) bool {
	if b == nil {
		return false
	}
	w := uint(doc / 64)
	return w < uint(len(b.words)) && b.words[w]>>(doc%64)&1 != 0
}

// Add makes a document a member and reports whether it was none.
func (b *Bits) Add(doc uint32) bool {
	b.grow(doc)
	w, bit := &b.words[doc/64], uint64(1)<<(doc%64)
	if *w&bit != 0 {
		return false
	}
	*w |= bit
	b.n++
	return true
}

// grow makes room for doc.
func (b *Bits) grow(doc uint32) {
	if n := int(doc/64) + 1; n > len(b.words) {
		b.words = slices.Grow(b.words, n-len(b.words))[:n]
	}
}

// AddSet makes the members of s members.
func (b *Bits) AddSet(s *Set) {
	if s.n == 0 {
		return
	}
	b.grow(s.hi - 1)
	s.Or(b.words, 0)
	b.count()
}

// AddBits makes the members of o members.
func (b *Bits) AddBits(o *Bits) {
	if o.Len() == 0 {
		return
	}
	b.grow(uint32(len(o.words)*64 - 1))
	for i, w := range o.words {
		b.words[i] |= w
	}
	b.count()
}

// RemoveBits makes the members of o no members.
func (b *Bits) RemoveBits(o *Bits) {
	for i, w := range o.Words()[:min(len(o.Words()), len(b.words))] {
		b.words[i] &^= w
	}
	b.count()
}

// HasAll reports whether all members of o are members.
func (b *Bits) HasAll(o *Bits) bool {
	words := b.Words()
	for i, w := range o.Words() {
		if i < len(words) {
			w &^= words[i]
		}
		if w != 0 {
			return false
		}
	}
	return true
}

// Clone returns a set with the same members, nil of nil.
func (b *Bits) Clone() *Bits {
	if b == nil {
		return nil
	}
	return &Bits{slices.Clone(b.words), b.n}
}

// count counts the members.
func (b *Bits) count() {
	b.n = 0
	for _, w := range b.words {
		b.n += uint32(bits.OnesCount64(w))
	}
}

// Words returns the bitmap, which must not be modified. Words past the last member may be missing.
func (b *Bits) Words() []uint64 {
	if b == nil {
		return nil
	}
	return b.words
}

// All yields the members in ascending order.
func (b *Bits) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, w := range b.Words() {
			for ; w != 0; w &= w - 1 {
				if !yield(uint32(i*64 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// AppendPortable is Set.AppendPortable.
func (b *Bits) AppendPortable(dst []byte) []byte { return FromWords(b.Words()).AppendPortable(dst) }

// Set returns the members as they are now.
func (b *Bits) Set() *Set { return FromWords(slices.Clone(b.Words())) }
