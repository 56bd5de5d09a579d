package algorithm

import (
	"github.com/pinion-index/pinion/internal/engine/columns"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/segment"
)

// AtMost returns a bound of the number of matches in the segment.
func (m *Matcher) AtMost() uint64 {
	if m.root == nil {
		return 0
	}
	return m.root.cost()
}

// InBitmaps reports whether m finds matches in bitmaps, for which it looks at all documents of a window.
func (m *Matcher) InBitmaps() bool { return m.bitmaps }

// Range returns where matches may be: from lo up to hi.
func (m *Matcher) Range() (lo, hi uint32) { return m.at, m.limit }

// Within makes m, which has not left documents out as known, go on with the documents from lo up to hi, which may be
// before those that it has been at.
func (m *Matcher) Within(lo, hi uint32) bool {
	r := m.run
	if lo < m.furthest && !m.rewind() {
		return false
	}
	m.at, m.limit = max(lo, r.lo), min(hi, r.hi, r.Part.Seg.Docs())
	m.furthest = max(m.furthest, hi)
	return true
}

// rewind moves the lists that are open to their first postings.
func (m *Matcher) rewind() bool {
	m.furthest = 0
	return m.run.rewind()
}

// Parts calls f with the matches of the window, by blocks of columns.
func (m *Matcher) Parts(f func(*columns.Part) error) error {
	p := &m.columns
	if !m.bitmaps {
		for docs := m.docs; len(docs) > 0; {
			end := docs[0]/segment.ColumnBlock*segment.ColumnBlock + segment.ColumnBlock
			n := len(docs)
			if docs[n-1] >= end {
				n = posting.LowerBound(docs, end)
			}
			p.SetDocs(docs[:n])
			if err := f(p); err != nil {
				return err
			}
			docs = docs[n:]
		}
		return nil
	}
	const blockWords = segment.ColumnBlock / 64
	words, at := m.words, int(m.lo/64)
	for len(words) > 0 {
		first := at % blockWords
		n := min(len(words), blockWords-first)
		if p.SetWords(at/blockWords, words[:n], first, &m.part) {
			if err := f(p); err != nil {
				return err
			}
		}
		words, at = words[n:], at+n
	}
	return nil
}
