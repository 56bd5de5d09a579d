package segment

import (
	"bytes"
	"math"

	"github.com/pinion-index/pinion/internal/segment/layout"
)

// findBlock returns the last of the blocks from first to before end, which are of one field,
// whose first term is at most term. It is -1 if there is none.
func (ls Lists) findBlock(ti *termIndex, first, end int, term []byte) (int, error) {
	key, keys := layout.TermKey(term), ti.keys[first:end]
	i := lastAtMost(keys, key)
	if i < 0 || keys[i] != key {
		return inField(first, i), nil
	}
	// Blocks up to i have keys up to that of term; those with an equal key may
	// begin above term.
	lo, hi := lastAtMost(keys[:i], key-1)+1, i+1
	if key == 0 {
		lo = 0
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		b, off, err := ls.termBytes(ti, first+mid)
		if err != nil {
			return 0, err
		}
		_, first, pos := layout.Head(b, 0, 0)
		if pos < 0 {
			return 0, ls.s.corrupt(&ls.s.terms, off, "malformed term")
		}
		if bytes.Compare(first, term) > 0 {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return inField(first, lo-1), nil
}

// Lookup returns the entry of term, and false if the segment does not hold it. On mapped
// data it does not allocate. In a segment of several fields a term is looked up in one (Field): the
// error matches errors.ErrUnsupported.
func (ls Lists) Lookup(term []byte) (Entry, bool, error) {
	if len(ls.s.fields) > 1 {
		return Entry{}, false, ls.s.single("terms")
	}
	return ls.lookup(&ls.s.fields[0], term)
}

// lookup is Lookup in field f.
func (ls Lists) lookup(f *Field, term []byte) (Entry, bool, error) {
	ti, err := ls.termIndexOf()
	if err != nil {
		return Entry{}, false, err
	}
	i, err := ls.findBlock(ti, f.FirstBlock, f.FirstBlock+f.Blocks, term)
	if err != nil || i < 0 {
		return Entry{}, false, err
	}
	b, off, err := ls.termBytes(ti, i)
	if err != nil {
		return Entry{}, false, err
	}
	n := f.termsOf(i)
	at, pos := scanBlock(b, n, term)
	if at < 0 {
		if pos < 0 {
			return Entry{}, false, ls.s.corrupt(&ls.s.terms, off, "malformed term in block %d", i)
		}
		return Entry{}, false, nil
	}
	e, err := ls.entryOf(&TermBlock{Bytes: b, Offset: off, Entries: pos, First: firstIn(i)}, at)
	return e, err == nil, err
}

// EntryAt returns the entry with this ordinal, and false if the segment has none. On mapped
// data it does not allocate.
func (ls Lists) EntryAt(ordinal uint64) (Entry, bool, error) {
	block := ordinal / layout.TermsPerBlock
	if block > math.MaxInt32 || ordinal%layout.TermsPerBlock >= uint64(ls.termsOf(int(block))) {
		return Entry{}, false, nil
	}
	b, err := ls.termBlock(int(block))
	if err != nil {
		return Entry{}, false, err
	}
	e, err := ls.entryOf(&b, int(ordinal%layout.TermsPerBlock))
	return e, err == nil, err
}

// entryOf returns the entry at a position of block b, which must exist.
func (ls Lists) entryOf(b *TermBlock, at int) (Entry, error) {
	pos := b.Entries
	for range at {
		pos = skipEntry(b.Bytes, pos)
	}
	e, pos := ls.parseEntry(b, at, pos)
	if pos < 0 {
		return Entry{}, ls.s.corrupt(&ls.s.terms, b.Offset, "malformed entry %d in block %d", at, b.First/layout.TermsPerBlock)
	}
	return e, nil
}

// scanBlock searches the n terms of block b for term. It returns the term's index and the
// position of the block's first entry, or -1 and 0 if the term is not there, or -1 and -1
// if the block is malformed.
func scanBlock(b []byte, n int, term []byte) (int, int) {
	// The previous term is below the wanted one and shares match bytes with it. A term
	// that shares more bytes than that with the previous one is also below, one that
	// shares fewer is above. Only if it shares as many must bytes be compared.
	pos, match := 0, 0
	for j := range n {
		if uint(pos) >= uint(len(b)) {
			return -1, -1
		}
		lcp, size := int(b[pos]&15), int(b[pos]>>4)
		pos++
		suffix := b
		if lcp == layout.HeadMax || size == layout.HeadMax || size > len(b)-pos {
			if lcp, suffix, pos = layout.Head(b, pos-1, MaxTerm); pos < 0 {
				return -1, -1
			}
		} else if lcp > match {
			pos += size
			continue
		} else {
			suffix = b[pos : pos+size]
			pos += size
		}
		if lcp > match {
			continue
		}
		if lcp < match {
			return -1, 0
		}
		rest := term[match:]
		c := layout.CommonPrefix(suffix, rest)
		match += c
		switch {
		case c == len(suffix) && c == len(rest):
			return j, skipTerms(b, pos, n-j-1)
		case c == len(rest) || c < len(suffix) && suffix[c] > rest[c]:
			return -1, 0
		}
	}
	return -1, 0
}

// skipTerms returns the position after the n terms at pos, or -1.
func skipTerms(b []byte, pos, n int) int {
	for ; n > 0 && pos >= 0; n-- {
		if uint(pos) < uint(len(b)) && b[pos]&15 != layout.HeadMax && b[pos]>>4 != layout.HeadMax {
			pos += 1 + int(b[pos]>>4)
			continue
		}
		_, _, pos = layout.Head(b, pos, MaxTerm)
	}
	return pos
}

// skipEntry returns the position after the entry at pos, or -1.
func skipEntry(b []byte, pos int) int {
	if uint(pos) >= uint(len(b)) {
		return -1
	}
	kind := b[pos] & 3
	if pos = skipVarint(b, pos); kind == layout.EntryOnce {
		return pos
	}
	if kind != layout.EntryCompact {
		return skipVarint(b, pos)
	}
	n, pos := layout.Uvarint(b, pos)
	if pos < 0 || n > uint64(len(b)-pos) {
		return -1
	}
	return pos + int(n)
}

// skipVarint returns the position after the varint at pos, or -1.
func skipVarint(b []byte, pos int) int {
	for ; uint(pos) < uint(len(b)); pos++ {
		if b[pos] < 0x80 {
			return pos + 1
		}
	}
	return -1
}

// Lookup is Lists.Lookup in the field.
func (v FieldView) Lookup(term []byte) (Entry, bool, error) {
	return v.s.Lists().lookup(v.Info(), term)
}
