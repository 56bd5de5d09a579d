// Package docset has sets of documents: Set, which does not change, as a range of docIDs, docIDs in order, bits, or pieces
// of these kinds, whichever is smallest, and Bits, which do. Deletes, filters and the sets that programs bring are such
// sets. portable.go reads and writes them in the portable form of roaring bitmaps.
package docset

import (
	"iter"
	"math/bits"
	"slices"
	"sort"
)

// End is what follows all documents.
const End = ^uint32(0)

// sparse is how many times as many documents as members a set has, in the range from the first to the last, for docIDs
// to take less memory than bits: 32 bits each.
const sparse = 32

// Set is a set of documents. It does not change, and is safe for concurrent use. The zero value is empty.
type Set struct {
	lo, hi uint32   // all members are from lo up to hi; both are 0 if there are none
	n      uint32   // members
	docs   []uint32 // ascending, or
	words  []uint64 // bit 0 is first(lo), or
	mixed  *mixed   // pieces, or none of them: all from lo up to hi are members
}

// first returns the document of the first bit of a bitmap that has lo.
func first(lo uint32) uint32 { return lo &^ 63 }

// Range returns the set of the documents from lo up to hi.
func Range(lo, hi uint32) *Set {
	if lo >= hi {
		return &Set{}
	}
	return &Set{lo: lo, hi: hi, n: hi - lo}
}

// Of returns the set of docs but End, which is none, in any order, each as often as it may be. It keeps docs and sorts them.
func Of(docs ...uint32) *Set {
	for i := 1; i < len(docs); i++ {
		if docs[i] <= docs[i-1] {
			slices.Sort(docs)
			docs = slices.Compact(docs)
			break
		}
	}
	if n := len(docs); n > 0 && docs[n-1] == End {
		docs = docs[:n-1]
	}
	return FromDocs(docs)
}

// FromDocs returns the set of docs, which ascend. It keeps docs.
func FromDocs(docs []uint32) *Set {
	if len(docs) == 0 {
		return &Set{}
	}
	lo, hi := docs[0], docs[len(docs)-1]+1
	s := &Set{lo: lo, hi: hi, n: uint32(len(docs))}
	switch span := hi - lo; {
	case s.n == span:
	case uint64(s.n)*sparse < uint64(span):
		s.docs = docs
	default:
		s.words = make([]uint64, (hi-first(lo)+63)/64)
		for _, d := range docs {
			d -= first(lo)
			s.words[d/64] |= 1 << (d % 64)
		}
	}
	return s
}

// FromWords returns the set of the members of a bitmap whose bit 0 is document 0. It may keep the bitmap.
func FromWords(words []uint64) *Set { return fromWords(words, 0) }

// fromWords is FromWords for a bitmap whose bit 0 is document base, a multiple of 64.
func fromWords(words []uint64, base uint32) *Set {
	from, to, n := len(words), 0, 0
	for i, w := range words {
		if w != 0 {
			from, to = min(from, i), i+1
			n += bits.OnesCount64(w)
		}
	}
	if n == 0 {
		return &Set{}
	}
	lo := base + uint32(from*64+bits.TrailingZeros64(words[from]))
	hi := base + uint32(to*64-bits.LeadingZeros64(words[to-1]))
	s := &Set{lo: lo, hi: hi, n: uint32(n)}
	switch span := hi - lo; {
	case s.n == span:
	case uint64(n)*sparse < uint64(span):
		s.docs = make([]uint32, 0, n)
		for i, w := range words[from:to] {
			for ; w != 0; w &= w - 1 {
				s.docs = append(s.docs, base+uint32((from+i)*64+bits.TrailingZeros64(w)))
			}
		}
	default:
		if s.words = words[from:to]; (to-from)*2 < len(words) {
			s.words = slices.Clone(s.words) // not to keep the others
		}
	}
	return s
}

// Len returns the number of members.
func (s *Set) Len() uint32 { return s.n }

// Bounds returns a range of documents that has all members.
func (s *Set) Bounds() (lo, hi uint32) { return s.lo, s.hi }

// Bytes returns how much memory s takes, about.
func (s *Set) Bytes() uint64 { return uint64(4*cap(s.docs) + 8*cap(s.words) + s.mixed.bytes() + 96) }

// Whole reports whether all documents from lo up to hi are members.
func (s *Set) Whole(lo, hi uint32) bool { return s.Count(lo, hi) == max(hi, lo)-lo }

// Contains reports whether a document is a member.
func (s *Set) Contains(doc uint32) bool {
	if doc < s.lo || doc >= s.hi {
		return false
	}
	if s.words != nil {
		doc -= first(s.lo)
		return s.words[doc/64]>>(doc%64)&1 != 0
	}
	if s.docs != nil {
		_, ok := slices.BinarySearch(s.docs, doc)
		return ok
	}
	if s.mixed != nil {
		p, _ := s.mixed.from(doc) // there is one, as hi - 1 is a member
		return p.Contains(doc)
	}
	return true
}

// Next returns the first member from doc on, or End.
func (s *Set) Next(doc uint32) uint32 {
	if doc < s.lo {
		doc = s.lo
	}
	switch {
	case doc >= s.hi:
		return End
	case s.docs != nil:
		return s.docs[s.at(doc)] // hi - 1 is one
	case s.mixed != nil:
		p, _ := s.mixed.from(doc)
		return p.Next(doc)
	case s.words == nil:
		return doc
	}
	base := first(s.lo)
	i, bit := (doc-base)/64, (doc-base)%64
	for w := s.words[i] >> bit << bit; ; w = s.words[i] {
		if w != 0 {
			return base + i*64 + uint32(bits.TrailingZeros64(w))
		}
		i++
	}
}

// at returns the index in docs of the first one from doc on.
func (s *Set) at(doc uint32) int {
	return sort.Search(len(s.docs), func(i int) bool { return s.docs[i] >= doc })
}

// Count returns the number of members from lo up to hi.
func (s *Set) Count(lo, hi uint32) uint32 {
	lo, hi = max(lo, s.lo), min(hi, s.hi)
	switch {
	case lo >= hi:
		return 0
	case lo == s.lo && hi == s.hi:
		return s.n
	case s.docs != nil:
		return uint32(s.at(hi) - s.at(lo))
	case s.mixed != nil:
		n := uint32(0)
		for p, ok := s.mixed.from(lo); ok && p.lo < hi; p, ok = s.mixed.from(p.hi) {
			n += p.Count(lo, hi)
		}
		return n
	case s.words == nil:
		return hi - lo
	}
	base := first(s.lo)
	lo, hi = lo-base, hi-base
	i, j := lo/64, (hi-1)/64
	head, tail := ^uint64(0)<<(lo%64), ^uint64(0)>>(63-(hi-1)%64)
	if i == j {
		return uint32(bits.OnesCount64(s.words[i] & head & tail))
	}
	n := bits.OnesCount64(s.words[i]&head) + bits.OnesCount64(s.words[j]&tail)
	for _, w := range s.words[i+1 : j] {
		n += bits.OnesCount64(w)
	}
	return uint32(n)
}

// AppendDocs appends the members from lo up to hi to dst, in ascending order.
func (s *Set) AppendDocs(dst []uint32, lo, hi uint32) []uint32 {
	lo, hi = max(lo, s.lo), min(hi, s.hi)
	switch {
	case lo >= hi:
		return dst
	case s.docs != nil:
		return append(dst, s.docs[s.at(lo):s.at(hi)]...)
	case s.mixed != nil:
		for p, ok := s.mixed.from(lo); ok && p.lo < hi; p, ok = s.mixed.from(p.hi) {
			dst = p.AppendDocs(dst, lo, hi)
		}
		return dst
	case s.words == nil:
		for doc := lo; doc < hi; doc++ {
			dst = append(dst, doc)
		}
		return dst
	}
	base := first(s.lo)
	for i := (lo - base) / 64; i*64+base < hi; i++ {
		w := s.words[i]
		if at := base + i*64; at < lo {
			w &= ^uint64(0) << (lo - at)
		}
		if at := base + i*64; hi-at < 64 {
			w &= 1<<(hi-at) - 1
		}
		for ; w != 0; w &= w - 1 {
			dst = append(dst, base+i*64+uint32(bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// AppendSome appends up to most members from lo up to hi to dst, in ascending order, and returns the document behind the
// last one that was considered: hi if there are no more.
func (s *Set) AppendSome(dst []uint32, lo, hi uint32, most int) (docs []uint32, next uint32) {
	lo, hi = max(lo, s.lo), min(hi, s.hi)
	switch {
	case lo >= hi:
		return dst, hi
	case s.docs != nil:
		at := s.at(lo)
		n := min(s.at(hi)-at, most)
		dst = append(dst, s.docs[at:at+n]...)
		if at += n; at < len(s.docs) && s.docs[at] < hi {
			return dst, s.docs[at]
		}
		return dst, hi
	case s.mixed != nil:
		return s.mixed.appendSome(dst, lo, hi, most)
	case s.words == nil:
		to := lo + uint32(min(uint64(most), uint64(hi-lo)))
		for ; lo < to; lo++ {
			dst = append(dst, lo)
		}
		return dst, to
	}
	base := first(s.lo)
	end := len(dst) + most
	for i := (lo - base) / 64; i*64+base < hi; i++ {
		w, at := s.words[i], base+i*64
		if at < lo {
			w &= ^uint64(0) << (lo - at)
		}
		if hi-at < 64 {
			w &= 1<<(hi-at) - 1
		}
		for ; w != 0; w &= w - 1 {
			doc := at + uint32(bits.TrailingZeros64(w))
			if len(dst) == end {
				return dst, doc
			}
			dst = append(dst, doc)
		}
	}
	return dst, hi
}

// Keep keeps those of docs, which ascend, that are members, or with not those that are no members. It does not branch on
// whether bits are set, since that is hard to predict.
func (s *Set) Keep(docs []uint32, not bool) []uint32 {
	n, flip := 0, uint64(0)
	if not {
		flip = 1
	}
	switch {
	case s.words != nil:
		base := first(s.lo)
		for _, d := range docs {
			docs[n] = d
			n += int(s.bit(d-base) ^ flip)
		}
	case s.docs != nil:
		at := 0
		for _, d := range docs {
			at = s.seek(at, d)
			docs[n] = d
			if (at < len(s.docs) && s.docs[at] == d) != not {
				n++
			}
		}
	case s.mixed != nil:
		return s.mixed.keep(docs, not)
	default:
		for _, d := range docs {
			docs[n] = d
			if (d >= s.lo && d < s.hi) != not {
				n++
			}
		}
	}
	return docs[:n]
}

// bit returns a bit of words, or 0 beyond them.
func (s *Set) bit(i uint32) uint64 {
	if w := uint(i >> 6); w < uint(len(s.words)) {
		return s.words[w] >> (i & 63) & 1
	}
	return 0
}

// Words returns the bitmap whose bit 0 is document lo, if s has one; what is beyond it is no member.
func (s *Set) Words() (lo uint32, words []uint64, ok bool) {
	return first(s.lo), s.words, s.words != nil
}

// seek returns the index in docs of the first one from doc on, given that it is at or after at.
func (s *Set) seek(at int, doc uint32) int {
	step := 1
	for at+step < len(s.docs) && s.docs[at+step] < doc {
		at += step
		step *= 2
	}
	end := min(at+step, len(s.docs))
	return at + sort.Search(end-at, func(i int) bool { return s.docs[at+i] >= doc })
}

// All yields the members in ascending order.
func (s *Set) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		var some [256]uint32
		for doc := s.lo; doc < s.hi; {
			var docs []uint32
			docs, doc = s.AppendSome(some[:0], doc, s.hi, len(some))
			for _, d := range docs {
				if !yield(d) {
					return
				}
			}
		}
	}
}
