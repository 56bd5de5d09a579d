package segment

import (
	"bytes"
	"math"
	"math/bits"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// Kind is the form in which a posting list is stored.
type Kind uint8

// The forms of a list.
const (
	KindSingleton Kind = iota // one posting, in the dictionary entry
	KindCompact               // 2 to 127 postings, bit-coded in the dictionary entry
	KindExtent                // 128 postings or more, an extent in section POSTINGS
)

// String returns the form's name.
func (k Kind) String() string { return [...]string{"singleton", "compact", "extent", "?"}[min(k, 3)] }

// Entry is the dictionary entry of a term. It is a plain value that is valid only for its
// segment.
type Entry struct {
	// Ordinal is 32 times the number of the term's block in the dictionary, plus the
	// term's position there (format/FORMAT.md, section 4.2). It grows with the fields and
	// their terms and stays the same as long as the segment exists, so that data beside a
	// list can refer to it. Between fields numbers are left out.
	Ordinal uint64

	Kind   Kind
	DF     uint32 // postings
	Doc    uint32 // singleton: its docID
	TF     uint32 // singleton: its frequency
	Length uint32 // compact: length of its bit stream in bytes
	Offset int64  // compact: offset of the bit stream in TERMS; extent: its offset in POSTINGS
}

// termIndex is section TERMINDEX.
type termIndex struct {
	keys    []uint64 // first 8 bytes of every block's first term, big-endian, zero padded
	offsets []uint64 // offset of every block, and the end of the last

	// Of a segment on demand, else nil.
	lists []uint64 // LISTS
	terms []byte   // TERMS, if it is small
}

func (ls Lists) termIndexOf() (*termIndex, error) {
	s := ls.s
	if v := s.views.termIndex.Load(); v != nil {
		return v, nil
	}
	b, err := s.rangeOf(&s.termIndex, 0, s.termIndex.Length)
	if err != nil {
		return nil, err
	}
	w := format.Uint64s(b)
	nb := (len(w) - 1) / 2
	v := &termIndex{keys: w[:nb], offsets: w[nb:]}
	if s.remote != nil {
		if err := ls.keepTerms(v); err != nil {
			return nil, err
		}
	}
	s.views.termIndex.Store(v)
	return v, nil
}

// smallTerms is up to how many bytes of a dictionary are kept with its index if the Data is
// OnDemand, which saves each query a read of its terms.
const smallTerms = 256 << 10

// keepTerms sets what v has of a segment on demand.
func (ls Lists) keepTerms(v *termIndex) error {
	s := ls.s
	if sec := s.section(format.SectionLists); sec != nil {
		b, err := s.rangeOf(sec, 0, sec.Length)
		if err != nil {
			return err
		}
		v.lists = format.Uint64s(b)
	}
	if s.terms.Length > smallTerms {
		return nil
	}
	b, err := s.rangeOf(&s.terms, 0, s.terms.Length)
	v.terms = b
	return err
}

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

// blockOf returns the block of f that has term, if f has it and no other block begins with the same bytes. It is -1 if
// there is none.
func (ti *termIndex) blockOf(f *Field, term []byte) int {
	return inField(f.FirstBlock, lastAtMost(ti.keys[f.FirstBlock:f.FirstBlock+f.Blocks], layout.TermKey(term)))
}

// inField returns the number of block i of a field whose first block is first; -1 stays.
func inField(first, i int) int {
	if i < 0 {
		return i
	}
	return first + i
}

// lastAtMost returns the index of the last of the ascending keys that is at most key, or
// -1. It does not branch on keys, since that is hard to predict.
func lastAtMost(keys []uint64, key uint64) int {
	if len(keys) == 0 || keys[0] > key {
		return -1
	}
	at, n := 0, len(keys) // keys[at] <= key, and the answer is in keys[at:at+n]
	for n > 1 {
		half := n >> 1
		_, above := bits.Sub64(key, keys[at+half], 0)
		at += half & (int(above) - 1)
		n -= half
	}
	return at
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
