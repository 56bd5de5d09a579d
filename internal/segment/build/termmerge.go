package build

import (
	"encoding/binary"
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

// TermMerger walks the dictionaries of several segments together, in bytewise order of
// terms, each term once. It is not safe for concurrent use.
//
// It uses the fact that dictionaries are front-coded: if two cursors have passed the same
// last term, the one whose term shares more bytes with that term has the lower term, so
// most comparisons need not look at the terms.
type TermMerger struct {
	cursors []mergeCursor
	live    []int32 // cursors that are not at their end, ascending
	at      []int32 // cursors at the current term, ascending
	shared  int
	err     error
}

// mergeCursor is a position in one dictionary.
type mergeCursor struct {
	s      *segment.Segment
	block  int // loaded; before the first, the one before that
	end    int // the block behind the last
	b      segment.TermBlock
	j      int // terms read of it
	pos    int // of the next term
	epos   int // of the next entry
	term   layout.FrontCoded
	entry  segment.Entry
	limits entryLimits
	keys   []uint64 // TERMINDEX
	sums   segment.ListSums
	shared int // bytes that the term shares with the merger's last term
	err    error
}

// NewFieldMerger returns a merger of the terms of one field in several segments.
func NewFieldMerger(fields []segment.FieldView) *TermMerger {
	m := &TermMerger{cursors: make([]mergeCursor, len(fields))}
	for i, v := range fields {
		s, f := v.Segment(), v.Info()
		keys, err := s.Raw().TermKeys()
		if err != nil && m.err == nil {
			m.err = err
		}
		m.cursors[i] = mergeCursor{s: s, keys: keys, block: f.FirstBlock - 1, end: f.FirstBlock + f.Blocks,
			term: layout.NewFrontCoded(nil), limits: limitsOf(s)}
		m.at = append(m.at, int32(i))
	}
	m.live = append(m.live, m.at...)
	return m
}

// Sums returns what the lists of segment i add up to, when its last term has been passed.
func (m *TermMerger) Sums(i int) *segment.ListSums { return &m.cursors[i].sums }

// Next moves to the next term and reports whether there is one.
func (m *TermMerger) Next() bool {
	if m.err != nil {
		return false
	}
	for _, i := range m.at {
		if c := &m.cursors[i]; !c.next() {
			if m.err = c.err; m.err != nil {
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

// drop removes cursor i from live.
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

// compare adds cursor i to at, or replaces at by it, unless its term is above those in at.
// Both share m.shared bytes with the last term.
func (m *TermMerger) compare(i int32) {
	if len(m.at) == 0 {
		m.at = append(m.at, i)
		return
	}
	c, least := &m.cursors[i], &m.cursors[m.at[0]]
	n := c.term.Common(&least.term, m.shared)
	switch {
	case n == c.term.Len() && n == least.term.Len():
		m.at = append(m.at, i)
	case n == least.term.Len() || n < c.term.Len() && least.term.At(n) < c.term.At(n):
		c.shared = n
	default:
		// Earlier cursors share with the new least term at most what the former least
		// term shares with it.
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

// AppendTerm appends the current term to dst.
func (m *TermMerger) AppendTerm(dst []byte) []byte {
	return layout.AppendShort(dst, m.cursors[m.at[0]].term.Bytes())
}

// Shared returns how many bytes the current term shares with the one before it.
func (m *TermMerger) Shared() int { return m.shared }

// Lists returns how many segments hold the current term.
func (m *TermMerger) Lists() int { return len(m.at) }

// List returns the number of the i-th segment, in ascending order, that holds the term, and
// the term's entry there.
func (m *TermMerger) List(i int) (source int, e *segment.Entry) {
	c := &m.cursors[m.at[i]]
	return int(m.at[i]), &c.entry
}

// Err returns the error that ended the walk, or nil.
func (m *TermMerger) Err() error { return m.err }

// next moves to the next term and sets shared to the number of bytes shared with the last
// one.
func (c *mergeCursor) next() bool {
	if c.j == c.b.Terms {
		if c.epos != len(c.b.Bytes) {
			return c.fail(c.epos, "bytes left over")
		}
		if c.block+1 >= c.end {
			return false
		}
		c.block++
		if c.b, c.err = c.s.Raw().TermBlock(c.block); c.err != nil {
			return false
		}
		c.j, c.pos, c.epos = 0, 0, c.b.Entries
	}
	lcp, suffix, next := c.term.Head(c.b.Bytes, c.pos)
	if next < 0 {
		return c.fail(c.pos, "malformed term")
	}
	c.pos = next
	if c.j == 0 { // the first term of a block is stored whole
		n := min(c.term.Len(), len(suffix))
		for lcp < n && c.term.At(lcp) == suffix[lcp] {
			lcp++
		}
		suffix = suffix[lcp:]
	}
	if lcp > c.term.Len() || len(suffix) == 0 || lcp < c.term.Len() && suffix[0] <= c.term.At(lcp) {
		return c.fail(c.pos, "term that is not above the one before it")
	}
	c.shared = lcp
	c.term.Set(lcp, suffix)
	if c.j == 0 && c.keys[c.block] != layout.TermKey(c.term.Bytes()) {
		c.err = c.s.Raw().Corrupt(format.SectionTermIndex, 8*int64(c.block), "key of block %d is not that of its first term", c.block)
		return false
	}
	epos := c.parse()
	if epos < 0 {
		return c.fail(c.epos, "malformed entry")
	}
	c.sums.Postings += uint64(c.entry.DF)
	if c.entry.Kind == segment.KindExtent {
		if c.err = c.sums.AddExtent(c.s.Raw(), &c.entry); c.err != nil {
			return false
		}
	} else {
		c.sums.CompactBytes += uint64(epos - c.epos)
	}
	c.epos = epos
	c.j++
	return true
}

func (c *mergeCursor) fail(pos int, msg string) bool {
	c.err = c.s.Raw().Corrupt(format.SectionTerms, c.b.Offset+int64(pos), "%s in block %d", msg, c.block)
	c.b, c.j = segment.TermBlock{}, 0
	return false
}

// entryLimits are the inclusive lower and exclusive upper bounds of the two numbers of an
// entry, by the low two bits of the first.
type entryLimits struct {
	first, second [4][2]uint64
}

func limitsOf(s *segment.Segment) (l entryLimits) {
	docs := uint64(s.Meta().Docs)
	postings, _ := s.Header().Section(format.SectionPostings)
	l.first = [4][2]uint64{{0, docs}, {0, docs}, {2, min(layout.MinExtent, docs+1)}, {0, uint64(postings.Length) / layout.ExtentAlign}}
	l.second = [4][2]uint64{{0, math.MaxUint64}, {0, math.MaxUint32 - 1}, {0, math.MaxUint32}, {layout.MinExtent, docs + 1}}
	return l
}

// parse decodes the entry at epos and returns the position after it, or -1. It does not
// branch on the form of the entry, since that is hard to predict.
func (c *mergeCursor) parse() int {
	b, pos := c.b.Bytes[:cap(c.b.Bytes)], c.epos
	if len(b)-pos < 16 {
		return c.parseSlowly()
	}
	v, n := layout.ShortVarint(binary.LittleEndian.Uint64(b[pos:]))
	w, m := layout.ShortVarint(binary.LittleEndian.Uint64(b[pos+n&7:]))
	if n == 0 || m == 0 && v&3 != layout.EntryOnce {
		return c.parseSlowly()
	}
	form, x := v&3, v>>2
	size := [4]int{0, m, m + int(uint32(w)), m}[form]
	end := pos + n + size
	first, second := &c.limits.first[form], &c.limits.second[form]
	if x < first[0] || x >= first[1] || w < second[0] || w >= second[1] || end > len(c.b.Bytes) {
		return c.parseSlowly() // which fails too, unless the entry has only one number
	}
	c.entry.Ordinal = c.b.First + uint64(c.j)
	c.entry.Kind = [4]segment.Kind{segment.KindSingleton, segment.KindSingleton, segment.KindCompact, segment.KindExtent}[form]
	c.entry.DF = [4]uint32{1, 1, uint32(x), uint32(w)}[form]
	c.entry.TF = [4]uint32{1, uint32(w) + 2}[form]
	c.entry.Doc, c.entry.Length = uint32(x), uint32(w)
	c.entry.Offset = [4]int64{2: c.b.Offset + int64(pos+n+m), 3: int64(x) * layout.ExtentAlign}[form]
	return end
}

func (c *mergeCursor) parseSlowly() (end int) {
	c.entry, end = c.s.Raw().ParseEntry(&c.b, c.j, c.epos)
	return end
}
