package segment

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// TermMerger walks the dictionaries of several segments together, in bytewise
// order of terms, each term once. It is not safe for concurrent use.
//
// Dictionaries are front-coded, and the merger lives on that: of two cursors
// behind the same last term, the one that shares more with it has the lower term,
// so that most comparisons need no look at the terms.
type TermMerger struct {
	cursors []mergeCursor
	live    []int32 // cursors that are not at their end, ascending
	at      []int32 // cursors at the present term, ascending
	shared  int
	err     error
}

// mergeCursor is a place in one dictionary.
type mergeCursor struct {
	it TermIterator // block and position; its term and entry are not used
	frontCoded
	entry  Entry
	limits entryLimits
	shared int // bytes that the term shares with the merger's last term
}

// frontCoded is a term or id that is read after the one before it.
type frontCoded struct {
	room []byte // begins with it; at least 16 bytes more
	n    int    // its length
}

// NewTermMerger returns a merger before the first term.
func NewTermMerger(segments []*Segment) *TermMerger {
	m := &TermMerger{cursors: make([]mergeCursor, len(segments))}
	for i, s := range segments {
		c := &m.cursors[i]
		c.it = *s.Terms()
		c.frontCoded, c.limits = newFrontCoded(nil), s.entryLimits()
		m.at = append(m.at, int32(i))
		if c.it.err != nil && m.err == nil {
			m.err = c.it.err
		}
	}
	m.live = append(m.live, m.at...)
	return m
}

// Next moves to the next term and reports whether there is one.
func (m *TermMerger) Next() bool {
	if m.err != nil {
		return false
	}
	for _, i := range m.at {
		if c := &m.cursors[i]; !c.next() {
			if m.err = c.it.err; m.err != nil {
				return false
			}
			m.drop(i)
		}
	}
	m.at = m.at[:0]
	if len(m.live) == 0 {
		return false
	}
	most := -1
	for _, i := range m.live {
		most = max(most, m.cursors[i].shared)
	}
	m.shared = most
	for _, i := range m.live {
		if m.cursors[i].shared == most {
			m.compare(i)
		}
	}
	return true
}

// drop takes cursor i out of live.
func (m *TermMerger) drop(i int32) {
	k := 0
	for _, j := range m.live {
		if j != i {
			m.live[k] = j
			k++
		}
	}
	m.live = m.live[:k]
}

// compare puts cursor i into at, if its term is not above those there. Both share
// m.shared bytes with the last term.
func (m *TermMerger) compare(i int32) {
	if len(m.at) == 0 {
		m.at = append(m.at, i)
		return
	}
	c, least := &m.cursors[i], &m.cursors[m.at[0]]
	n := commonFrom(c.room, least.room, m.shared, min(c.n, least.n))
	switch {
	case n == c.n && n == least.n:
		m.at = append(m.at, i)
	case n == least.n || n < c.n && least.room[n] < c.room[n]:
		c.shared = n
	default:
		// What cursors passed share with the new least one is no more than what
		// they, or the former least ones, share with it.
		for _, j := range m.live {
			if j == i {
				break
			}
			if p := &m.cursors[j]; p.shared > n {
				p.shared = n
			}
		}
		for _, j := range m.at {
			m.cursors[j].shared = n
		}
		m.at = append(m.at[:0], i)
	}
}

// AppendTerm appends the present term to dst.
func (m *TermMerger) AppendTerm(dst []byte) []byte {
	return appendShort(dst, m.cursors[m.at[0]].bytes())
}

// Shared returns how many bytes the present term shares with the one before it.
func (m *TermMerger) Shared() int { return m.shared }

// Lists returns how many segments have the present term.
func (m *TermMerger) Lists() int { return len(m.at) }

// List returns the number of segment i of those that have the term, ascending,
// and the term's entry there.
func (m *TermMerger) List(i int) (segment int, e *Entry) {
	c := &m.cursors[m.at[i]]
	return int(m.at[i]), &c.entry
}

// Err returns the error that ended the walk, or nil.
func (m *TermMerger) Err() error { return m.err }

// next moves to the next term and sets shared to what it shares with the last.
func (c *mergeCursor) next() bool {
	it := &c.it
	if it.j == it.n {
		if it.block+1 >= len(it.ti.keys) {
			return false
		}
		if !it.load(it.block + 1) {
			return false
		}
	}
	lcp, suffix, next := c.head(it.b, it.pos)
	if next < 0 {
		return it.fail(it.pos, "malformed term")
	}
	it.pos = next
	if it.j == 0 { // blocks begin with a whole term
		n := min(c.n, len(suffix))
		for lcp < n && c.room[lcp] == suffix[lcp] {
			lcp++
		}
		suffix = suffix[lcp:]
	}
	if lcp > c.n || len(suffix) == 0 || lcp < c.n && suffix[0] <= c.room[lcp] {
		return it.fail(it.pos, "term that is not above the one before it")
	}
	c.shared = lcp
	c.set(lcp, suffix)
	epos := c.parse()
	if epos < 0 {
		return it.fail(it.epos, "malformed entry")
	}
	it.epos = epos
	it.j++
	return true
}

// entryLimits are the bounds, from and below, of the two numbers of an entry by the
// low bits of the first.
type entryLimits struct {
	first, second [4][2]uint64
}

func (s *Segment) entryLimits() (l entryLimits) {
	docs := uint64(s.meta.Docs)
	l.first = [4][2]uint64{{0, docs}, {0, docs}, {2, min(minExtent, docs+1)}, {0, uint64(s.postings.Length) / extentAlign}}
	l.second = [4][2]uint64{{0, math.MaxUint64}, {0, math.MaxUint32 - 1}, {0, math.MaxUint32}, {minExtent, docs + 1}}
	return l
}

// parse decodes the entry at it.epos and returns the position after it, or -1.
// The forms follow one another without a rule, so that it has no branch on them.
func (c *mergeCursor) parse() int {
	it := &c.it
	b, pos := it.b[:cap(it.b)], it.epos
	if len(b)-pos < 16 {
		return c.parseSlowly()
	}
	v, n := shortVarint(binary.LittleEndian.Uint64(b[pos:]))
	w, m := shortVarint(binary.LittleEndian.Uint64(b[pos+n&7:]))
	if n == 0 || m == 0 && v&3 != entryOnce {
		return c.parseSlowly()
	}
	form, x := v&3, v>>2
	size := [4]int{0, m, m + int(uint32(w)), m}[form]
	end := pos + n + size
	first, second := &c.limits.first[form], &c.limits.second[form]
	if x < first[0] || x >= first[1] || w < second[0] || w >= second[1] || end > len(it.b) {
		return c.parseSlowly() // which says the same, unless the second number was none
	}
	c.entry.Kind = [4]Kind{KindSingleton, KindSingleton, KindCompact, KindExtent}[form]
	c.entry.DF = [4]uint32{1, 1, uint32(x), uint32(w)}[form]
	c.entry.TF = [4]uint32{1, uint32(w) + 2}[form]
	c.entry.Doc, c.entry.Length = uint32(x), uint32(w)
	c.entry.Offset = [4]int64{2: it.off + int64(pos+n+m), 3: int64(x) * extentAlign}[form]
	return end
}

func (c *mergeCursor) parseSlowly() (end int) {
	c.entry, end = c.it.s.parseEntry(c.it.b, c.it.epos, c.it.off)
	return end
}

// shortVarint returns the varint of at most 5 bytes that b begins with, and its
// length; 0 if it is longer or not in its shortest form.
func shortVarint(b uint64) (v uint64, n int) {
	stop := ^b & 0x8080808080808080
	n = bits.TrailingZeros64(stop)/8 + 1
	b &= stop ^ (stop - 1)
	if n > 5 || n > 1 && b>>(8*uint(n-1)&63) == 0 {
		return 0, 0
	}
	return b&0x7f | b>>1&(0x7f<<7) | b>>2&(0x7f<<14) | b>>3&(0x7f<<21) | b>>4&(0x7f<<28), n
}

func newFrontCoded(b []byte) frontCoded {
	return frontCoded{append(make([]byte, 0, len(b)+64), b...)[:len(b)+64], len(b)}
}

// head is termHead for what follows f, fast for what is short.
func (f *frontCoded) head(b []byte, pos int) (lcp int, suffix []byte, next int) {
	if pos < len(b) {
		lcp, size := int(b[pos]&headMax), int(b[pos]>>4)
		next := pos + 1 + size
		if lcp < headMax && size < headMax && lcp+size > 0 && lcp <= f.n && next <= len(b) {
			return lcp, b[pos+1 : next], next
		}
	}
	return termHead(b, pos, f.n)
}

// set makes f its first lcp bytes and suffix.
func (f *frontCoded) set(lcp int, suffix []byte) {
	f.n = lcp + len(suffix)
	if need := f.n + 16; need > len(f.room) {
		f.room = append(make([]byte, 0, 2*need), f.room[:lcp]...)[:2*need]
	}
	if len(suffix) <= 16 && cap(suffix) >= 16 {
		*(*[16]byte)(f.room[lcp:]) = [16]byte(suffix[:16])
		return
	}
	copy(f.room[lcp:], suffix)
}

// appendShort is append for src that is mostly short and mostly has room for 16
// bytes.
func appendShort(dst, src []byte) []byte {
	n := len(dst)
	if len(src) <= 16 && cap(src) >= 16 && cap(dst)-n >= 16 {
		*(*[16]byte)(dst[n : n+16]) = [16]byte(src[:16])
		return dst[:n+len(src)]
	}
	return append(dst, src...)
}

func (f *frontCoded) bytes() []byte { return f.room[:f.n] }

// commonFrom returns how many bytes a and b share, of n at most, given that they
// share from. Both are at least 8 bytes longer than n.
func commonFrom(a, b []byte, from, n int) int {
	for at := from; at < n; at += 8 {
		if x := binary.LittleEndian.Uint64(a[at:]) ^ binary.LittleEndian.Uint64(b[at:]); x != 0 {
			return min(at+bits.TrailingZeros64(x)/8, n)
		}
	}
	return n
}
