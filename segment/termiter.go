package segment

import (
	"bytes"

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
