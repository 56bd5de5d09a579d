package segment

import (
	"bytes"
	"encoding/binary"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

// TermIterator iterates over the terms of a field in bytewise order, or over those of all
// fields, one field after the other. It is not safe for concurrent use.
type TermIterator struct {
	s      *Segment
	ti     *termIndex
	prefix []byte
	first  int // block of the dictionary
	end    int // the block behind the last
	block  int // the loaded block; first-1 before it
	b      TermBlock
	j      int // terms read of it
	pos    int // of the next term
	epos   int // of the next entry
	term   []byte
	entry  Entry
	held   bool // the next Next returns the current term
	done   bool
	err    error

	matching *matching // nil if all terms count
}

// Terms returns an iterator positioned before the first term. In a segment of several fields its
// SeekGE fails with an error that matches errors.ErrUnsupported; that of FieldView.Terms does
// not.
func (ls Lists) Terms() *TermIterator {
	it := ls.termsIn(0, 0)
	if it.err == nil {
		it.end = len(it.ti.keys)
	}
	return it
}

// termsIn returns an iterator over the terms of the blocks from first to before end.
func (ls Lists) termsIn(first, end int) *TermIterator {
	it := &TermIterator{s: ls.s, first: first, end: end, block: first - 1}
	it.ti, it.err = ls.termIndexOf()
	return it
}

// Prefix returns an iterator over the terms that begin with prefix, positioned before the
// first of them. In a segment of several fields it fails as SeekGE does.
func (ls Lists) Prefix(prefix []byte) *TermIterator {
	it := ls.Terms()
	if it.err == nil {
		it.err = ls.s.single("terms")
	}
	return it.from(prefix)
}

// from limits it to the terms that begin with prefix.
func (it *TermIterator) from(prefix []byte) *TermIterator {
	if len(prefix) > 0 {
		it.prefix = bytes.Clone(prefix)
		it.held = it.SeekGE(prefix)
	}
	return it
}

// Next moves to the next term and reports whether there is one.
func (it *TermIterator) Next() bool {
	if it.held {
		it.held = false
		return true
	}
	if it.err != nil || it.done {
		return false
	}
	if it.matching != nil {
		return it.nextMatch()
	}
	if it.j == it.b.Terms {
		if it.block+1 >= it.end {
			it.done = true
			return false
		}
		if !it.load(it.block + 1) {
			return false
		}
	}
	return it.step()
}

// SeekGE moves to the first term that is not below term (and has the prefix, or is accepted, if the
// iterator is limited to such terms) and reports whether there is one. It can move in both directions.
func (it *TermIterator) SeekGE(term []byte) bool {
	if it.ti == nil || it.err != nil {
		return false
	}
	if bytes.Compare(term, it.prefix) < 0 {
		term = it.prefix
	}
	it.held, it.done = false, false
	if it.first == it.end {
		it.done = true
		return false
	}
	if it.s.fieldOfBlock(it.first) != it.s.fieldOfBlock(it.end-1) {
		it.err = it.s.single("terms")
		return false
	}
	i, err := it.s.Lists().findBlock(it.ti, it.first, it.end, term)
	if err != nil {
		it.err = err
		return false
	}
	if i = max(i, it.first); it.matching != nil {
		return it.seekMatch(i, term)
	}
	if !it.load(i) {
		return false
	}
	for it.Next() {
		if bytes.Compare(it.term, term) >= 0 {
			return true
		}
	}
	return false
}

// load reads block i.
func (it *TermIterator) load(i int) bool {
	it.block, it.j = i, 0
	it.b, it.err = it.s.Lists().termBlock(i)
	it.pos, it.epos, it.term = 0, it.b.Entries, it.term[:0]
	return it.err == nil
}

func (it *TermIterator) step() bool {
	lcp, suffix, next := layout.Head(it.b.Bytes, it.pos, len(it.term))
	if next < 0 {
		return it.fail(it.pos, "malformed term")
	}
	it.pos = next
	it.term = append(it.term[:lcp], suffix...)
	e, epos := it.s.Lists().parseEntry(&it.b, it.j, it.epos)
	if epos < 0 {
		return it.fail(it.epos, "malformed entry")
	}
	it.entry, it.epos = e, epos
	it.j++
	if len(it.prefix) > 0 && !bytes.HasPrefix(it.term, it.prefix) && bytes.Compare(it.term, it.prefix) > 0 {
		it.done = true
		return false
	}
	return true
}

func (it *TermIterator) fail(pos int, msg string) bool {
	it.err = it.s.corrupt(&it.s.terms, it.b.Offset+int64(pos), "%s in block %d", msg, it.block)
	it.b, it.j = TermBlock{}, 0
	return false
}

// Term returns the current term. It is valid until the next move.
func (it *TermIterator) Term() []byte { return it.term }

// Entry returns the current term's entry.
func (it *TermIterator) Entry() Entry { return it.entry }

// Err returns the error that ended the iteration, or nil.
func (it *TermIterator) Err() error { return it.err }

// Terms returns an iterator over the field's terms that begin with prefix, positioned before
// the first of them.
func (v FieldView) Terms(prefix []byte) *TermIterator {
	f := v.Info()
	return v.s.Lists().termsIn(f.FirstBlock, f.FirstBlock+f.Blocks).from(prefix)
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
