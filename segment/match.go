package segment

import (
	"bytes"
	"encoding/binary"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

// Automaton accepts some terms. It reads them byte by byte, and is deterministic: state 0 is the one
// from which no term is accepted, whatever follows.
type Automaton interface {
	// Start returns the state before the first byte.
	Start() uint32
	// Next returns the state after state, which is not 0, and b.
	Next(state uint32, b byte) uint32
	// Accepts reports whether a term that ends in state, which is not 0, is accepted.
	Accepts(state uint32) bool
}

// Match returns an iterator over the field's terms that a accepts, positioned before the first of
// them. Of the dictionary it reads the blocks that may have such terms by their first eight bytes.
func (v FieldView) Match(a Automaton) *TermIterator {
	f := v.Info()
	it := v.s.Lists().termsIn(f.FirstBlock, f.FirstBlock+f.Blocks)
	it.matching = &matching{a: a, states: []uint32{a.Start()}}
	if v.s.remote != nil && it.err == nil {
		it.prefetchMatches()
	}
	return it
}

// matching is what a TermIterator has that iterates over the terms which an Automaton accepts.
type matching struct {
	a      Automaton
	states []uint32 // before the first byte of a term, and after each
	term   []byte   // whose states they are
	key    [8]byte
	found  []match // in the loaded block
	bytes  []byte  // of their terms
	next   int     // of found
}

// match is a term of a block.
type match struct {
	at       int // its number in the block
	from, to int // in matching.bytes
	entry    Entry
}

// nextMatch is Next.
func (it *TermIterator) nextMatch() bool {
	m := it.matching
	for m.next == len(m.found) {
		i := it.possible(it.block + 1)
		if i >= it.end {
			it.done = true
			return false
		}
		if !it.loadMatches(i) {
			return false
		}
	}
	x := &m.found[m.next]
	m.next++
	it.term, it.entry = m.bytes[x.from:x.to:x.to], x.entry
	return true
}

// possible returns the first block from i on that may have terms which are accepted, or it.end.
func (it *TermIterator) possible(i int) int {
	if i >= it.end {
		return it.end
	}
	m, keys := it.matching, it.ti.keys
	// The terms of a block are not below its key, without the zeros at the end.
	binary.BigEndian.PutUint64(m.key[:], keys[i])
	n := len(m.key)
	for n > 0 && m.key[n-1] == 0 {
		n--
	}
	dead := m.run(m.key[:n], 0)
	if dead > n {
		return i
	}
	least, ok := m.after(m.key[:dead])
	if !ok {
		return it.end
	}
	key := layout.TermKey(least)
	if key == 0 {
		return i
	}
	return i + 1 + lastAtMost(keys[i+1:it.end], key-1) // the last block that begins below least
}

// run sets the states after bytes of term, of which those up to from are known. It returns how many bytes lead
// to state 0, or len(term)+1 if they do not.
func (m *matching) run(term []byte, from int) int {
	states := m.states[:from+1]
	for i := from; i < len(term); i++ {
		s := m.a.Next(states[i], term[i])
		if s == 0 {
			m.states = states
			return i + 1
		}
		states = append(states, s)
	}
	m.states = states
	return len(term) + 1
}

// after returns the least beginning of terms that are above term and may be accepted, if there is one. It
// overwrites term, all bytes of which lead to state 0, but not fewer.
func (m *matching) after(term []byte) ([]byte, bool) {
	for i := len(term) - 1; i >= 0; i-- {
		for term[i] < 0xff {
			term[i]++
			if m.a.Next(m.states[i], term[i]) != 0 {
				return term[:i+1], true
			}
		}
	}
	return nil, false
}

// loadMatches finds the terms of block i that are accepted.
func (it *TermIterator) loadMatches(i int) bool {
	m, s := it.matching, it.s
	it.block, m.next, m.found, m.bytes = i, 0, m.found[:0], m.bytes[:0]
	b, off, err := s.Lists().termBytes(it.ti, i)
	if err != nil {
		it.err = err
		return false
	}
	it.b = TermBlock{First: firstIn(i), Bytes: b, Offset: off, Terms: s.Lists().termsOf(i)}
	pos, length, dead := 0, 0, 1
	for j := range it.b.Terms {
		lcp, suffix, next := layout.Head(b, pos, length)
		if next < 0 {
			return it.fail(pos, "malformed term")
		}
		if pos, length = next, lcp+len(suffix); lcp >= dead {
			continue // it shares the bytes after which no term is accepted
		}
		m.term = append(m.term[:lcp], suffix...)
		if dead = m.run(m.term, lcp); dead > length && m.a.Accepts(m.states[length]) {
			m.found = append(m.found, match{at: j, from: len(m.bytes), to: len(m.bytes) + length})
			m.bytes = append(m.bytes, m.term...)
		}
	}
	return it.readMatches(pos)
}

// readMatches reads the entries of the terms that were found in the block, whose entries begin at pos.
func (it *TermIterator) readMatches(pos int) bool {
	at := 0
	for k := range it.matching.found {
		x := &it.matching.found[k]
		for ; at < x.at && pos >= 0; at++ {
			pos = skipEntry(it.b.Bytes, pos)
		}
		if pos >= 0 {
			x.entry, pos = it.s.Lists().parseEntry(&it.b, at, pos)
			at++
		}
		if pos < 0 {
			it.matching.found = it.matching.found[:0]
			return it.fail(it.b.Entries, "malformed entry")
		}
	}
	return true
}

// seekMatch is SeekGE, which has found the block that may have term.
func (it *TermIterator) seekMatch(block int, term []byte) bool {
	if !it.loadMatches(block) {
		return false
	}
	for it.Next() {
		if bytes.Compare(it.term, term) >= 0 {
			return true
		}
	}
	return false
}

// matchMost is up to how many bytes of blocks Match asks for in advance if the Data is OnDemand.
const matchMost = 64 << 20

// prefetchMatches begins to read the blocks that may have terms which are accepted.
func (it *TermIterator) prefetchMatches() {
	if it.ti.terms != nil {
		return
	}
	a, left, offsets := it.s.ask(), int64(matchMost), it.ti.offsets
	for i := it.possible(it.first); i < it.end && offsets[i] < offsets[i+1] && left > 0; i = it.possible(i + 1) {
		n := int64(offsets[i+1] - offsets[i])
		a.need(&it.s.terms, int64(offsets[i]), n)
		left -= n
	}
	a.send()
}
