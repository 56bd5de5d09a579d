package docset

import (
	"math/bits"
	"sort"
)

// mixed is what a Set has that takes less memory in pieces: docIDs in order here, bits there, and ranges.
type mixed struct {
	pieces []piece // ascending
	docs   []uint32
	words  []uint64
	spans  []span // ascending, with other documents in between
}

// piece is a part of a mixed set.
type piece struct {
	lo, hi uint32 // it has both lo and hi-1
	n      uint32 // members
	ref    uint32 // kind, and the index of what it has first: of words the one that has lo
}

// span are the documents from lo up to hi.
type span struct{ lo, hi uint32 }

// The kinds of pieces, in the low bits of ref.
const (
	ofDocs = iota
	ofWords
	ofSpans
)

// add appends members that follow all others, of which the first is the one at index at.
func (m *mixed) add(kind, at int, lo, hi, n uint32) {
	if i := len(m.pieces) - 1; i >= 0 {
		// Bits go on in the last piece only if no word is missing in between.
		last := &m.pieces[i]
		if int(last.ref&3) == kind && (kind != ofWords || (last.hi-1)/64+1 >= first(lo)/64) {
			last.hi = hi
			last.n += n
			return
		}
	}
	m.pieces = append(m.pieces, piece{lo, hi, n, uint32(at)<<2 | uint32(kind)})
}

// addDocs appends docIDs.
func (m *mixed) addDocs(docs []uint32) {
	m.add(ofDocs, len(m.docs), docs[0], docs[len(docs)-1]+1, uint32(len(docs)))
	m.docs = append(m.docs, docs...)
}

// addWords appends a bitmap whose bit 0 is document base, a multiple of 64.
func (m *mixed) addWords(words []uint64, base uint32) {
	from, to, n := 0, len(words), 0
	for words[from] == 0 {
		from++
	}
	for words[to-1] == 0 {
		to--
	}
	for _, w := range words[from:to] {
		n += bits.OnesCount64(w)
	}
	lo := base + uint32(from*64+bits.TrailingZeros64(words[from]))
	hi := base + uint32(to*64-bits.LeadingZeros64(words[to-1]))
	m.add(ofWords, len(m.words), lo, hi, uint32(n))
	m.words = append(m.words, words[from:to]...)
}

// addSpan appends the documents from lo up to hi.
func (m *mixed) addSpan(lo, hi uint32) {
	m.add(ofSpans, len(m.spans), lo, hi, hi-lo)
	if i := len(m.spans) - 1; i >= 0 && m.spans[i].hi == lo && m.pieces[len(m.pieces)-1].lo < lo {
		m.spans[i].hi = hi
		return
	}
	m.spans = append(m.spans, span{lo, hi})
}

// from returns the first of the sets without pieces that m consists of which has members from doc on.
func (m *mixed) from(doc uint32) (s Set, ok bool) {
	i := sort.Search(len(m.pieces), func(i int) bool { return m.pieces[i].hi > doc })
	if i == len(m.pieces) {
		return s, false
	}
	p := &m.pieces[i]
	s, ok = Set{lo: p.lo, hi: p.hi, n: p.n}, true
	switch at := p.ref >> 2; p.ref & 3 {
	case ofDocs:
		s.docs = m.docs[at : at+p.n]
	case ofWords:
		s.words = m.words[at : at+(p.hi-first(p.lo)+63)/64]
	default:
		spans := m.spans[at:]
		own := spans[sort.Search(len(spans), func(i int) bool { return spans[i].hi > doc })]
		s.lo, s.hi, s.n = own.lo, own.hi, own.hi-own.lo
	}
	return s, true
}

// bytes returns how much memory m takes, about.
func (m *mixed) bytes() int {
	if m == nil {
		return 0
	}
	return 16*cap(m.pieces) + 4*cap(m.docs) + 8*cap(m.words) + 8*cap(m.spans) + 96
}

// keep is Set.Keep.
func (m *mixed) keep(docs []uint32, not bool) []uint32 {
	n := 0
	var s Set // all before it is behind
	for _, d := range docs {
		if d >= s.hi {
			var ok bool
			if s, ok = m.from(d); !ok {
				s = Set{lo: End, hi: End}
			}
		}
		docs[n] = d
		if s.Contains(d) != not {
			n++
		}
	}
	return docs[:n]
}

// appendSome is Set.AppendSome, within its bounds.
func (m *mixed) appendSome(dst []uint32, lo, hi uint32, most int) (docs []uint32, next uint32) {
	end := len(dst) + most
	for s, ok := m.from(lo); ok && s.lo < hi; s, ok = m.from(s.hi) {
		if dst, next = s.AppendSome(dst, lo, hi, end-len(dst)); next < min(hi, s.hi) {
			return dst, next
		}
	}
	return dst, hi
}
