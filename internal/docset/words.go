package docset

// Or adds the members to a bitmap whose bit 0 is document lo.
func (s *Set) Or(words []uint64, lo uint32) {
	hi := uint32(min(uint64(lo)+64*uint64(len(words)), uint64(End)))
	from, to := max(lo, s.lo), min(hi, s.hi)
	switch {
	case from >= to:
	case s.docs != nil:
		for _, d := range s.docs[s.at(from):s.at(to)] {
			words[(d-lo)/64] |= 1 << ((d - lo) % 64)
		}
	case s.mixed != nil:
		for p, ok := s.mixed.from(from); ok && p.lo < to; p, ok = s.mixed.from(p.hi) {
			p.Or(words, lo)
		}
	case s.words == nil:
		fill(words, from-lo, to-lo)
	default:
		orWords(words, lo, s.words, first(s.lo))
	}
}

// orWords adds the members of a bitmap whose bit 0 is document base to one whose bit 0 is document lo.
func orWords(dst []uint64, lo uint32, src []uint64, base uint32) {
	if lo >= base {
		src = src[min(int(lo-base)/64, len(src)):]
	} else {
		dst = dst[min(int(base-lo)/64, len(dst)):]
	}
	shift := (base - lo) % 64 // up
	n := min(len(dst), len(src))
	switch {
	case shift == 0:
		for i, w := range src[:n] {
			dst[i] |= w
		}
	case lo > base: // bits of a word of src come from the one that follows it
		for i, w := range src[:n] {
			dst[i] |= w >> (64 - shift)
			if i+1 < len(src) {
				dst[i] |= src[i+1] << shift
			}
		}
	default:
		for i, w := range src[:n] {
			dst[i] |= w << shift
			if i+1 < len(dst) {
				dst[i+1] |= w >> (64 - shift)
			}
		}
	}
}

// And removes what is no member from a bitmap whose bit 0 is document lo.
func (s *Set) And(words []uint64, lo uint32) {
	hi := uint32(min(uint64(lo)+64*uint64(len(words)), uint64(End)))
	from, to := max(lo, s.lo), min(hi, s.hi)
	if from >= to {
		clear(words)
		return
	}
	i, j := (from-lo)/64, (to-lo+63)/64
	clear(words[:i])
	clear(words[j:])
	part := words[i:j]
	switch {
	case s.docs != nil:
		docs := s.docs[s.at(from):s.at(to)]
		at := lo + i*64
		for k := range part {
			w := uint64(0)
			for len(docs) > 0 && docs[0]-at < 64 {
				w |= 1 << (docs[0] - at)
				docs = docs[1:]
			}
			part[k] &= w
			at += 64
		}
	case s.mixed != nil, s.words != nil && lo%64 != 0:
		s.andCopied(part, lo+i*64)
	case s.words == nil:
		part[0] &= ^uint64(0) << ((from - lo) % 64)
		part[len(part)-1] &= ^uint64(0) >> (63 - (to-lo-1)%64)
	default:
		src := s.words[(lo+i*64-first(s.lo))/64:]
		src = src[:min(len(part), len(src))]
		for k, w := range src {
			part[k] &= w
		}
	}
}

// andCopied is And with the bits of some words after the other.
func (s *Set) andCopied(words []uint64, lo uint32) {
	var some [64]uint64
	for len(words) > 0 {
		n := min(len(words), len(some))
		clear(some[:n])
		s.Or(some[:n], lo)
		for i, w := range some[:n] {
			words[i] &= w
		}
		words = words[n:]
		lo += uint32(n) * 64
	}
}

// fill sets the bits from lo up to hi, which is above lo.
func fill(words []uint64, lo, hi uint32) {
	i, j := lo/64, (hi-1)/64
	head, tail := ^uint64(0)<<(lo%64), ^uint64(0)>>(63-(hi-1)%64)
	if i == j {
		words[i] |= head & tail
		return
	}
	words[i] |= head
	for k := i + 1; k < j; k++ {
		words[k] = ^uint64(0)
	}
	words[j] |= tail
}

// And returns the documents that are in both a and b.
func And(a, b *Set) *Set {
	if a.n > b.n {
		a, b = b, a
	}
	lo, hi := max(a.lo, b.lo), min(a.hi, b.hi)
	if lo >= hi {
		return &Set{}
	}
	switch {
	case a.whole() && b.whole():
		return Range(lo, hi)
	case uint64(a.n)*sparse < uint64(hi-lo):
		return FromDocs(b.Keep(a.AppendDocs(nil, lo, hi), false))
	}
	words := make([]uint64, (hi-first(lo)+63)/64)
	a.Or(words, first(lo))
	b.And(words, first(lo))
	return fromWords(words, first(lo))
}

// whole reports whether s is a range.
func (s *Set) whole() bool { return s.docs == nil && s.words == nil && s.mixed == nil }

// Slice returns the members from lo up to hi, each less by lo.
func (s *Set) Slice(lo, hi uint32) *Set {
	from, to := max(lo, s.lo), min(hi, s.hi)
	switch {
	case from >= to:
		return &Set{}
	case lo == 0 && to == s.hi:
		return s
	case s.whole():
		return Range(from-lo, to-lo)
	case uint64(s.Count(from, to))*sparse < uint64(to-from):
		docs := s.AppendDocs(nil, from, to)
		for i := range docs {
			docs[i] -= lo
		}
		return FromDocs(docs)
	}
	base := first(from - lo)
	words := make([]uint64, (to-lo-base+63)/64)
	s.Or(words, lo+base)
	if over := (to - lo) % 64; over != 0 {
		words[len(words)-1] &= 1<<over - 1
	}
	return fromWords(words, base)
}
