package segment

import (
	"math"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// TermBlock is one stored block of the dictionary (format/FORMAT.md, section 4.2), for code
// that walks blocks itself, such as merges and checks.
type TermBlock struct {
	First   uint64 // ordinal of the first term
	Bytes   []byte // terms, then their entries
	Offset  int64  // offset of Bytes in section TERMS
	Terms   int    // number of terms, 1 to 32
	Entries int    // offset of the entries in Bytes
}

// termBlock returns block i of the dictionary, which must exist. It parses the heads of the
// terms but not the entries.
func (ls Lists) termBlock(i int) (TermBlock, error) {
	ti, err := ls.termIndexOf()
	if err != nil {
		return TermBlock{}, err
	}
	b, off, err := ls.termBytes(ti, i)
	if err != nil {
		return TermBlock{}, err
	}
	t := TermBlock{First: firstIn(i), Bytes: b, Offset: off, Terms: ls.termsOf(i)}
	prevLen := 0
	for range t.Terms {
		lcp, suffix, next := layout.Head(b, t.Entries, prevLen)
		if next < 0 {
			return TermBlock{}, ls.s.corrupt(&ls.s.terms, off+int64(t.Entries), "malformed term in block %d", i)
		}
		t.Entries, prevLen = next, lcp+len(suffix)
	}
	return t, nil
}

// termBytes returns the bytes of block i of TERMS and their offset.
func (ls Lists) termBytes(ti *termIndex, i int) ([]byte, int64, error) {
	s := ls.s
	lo, hi := ti.offsets[i], ti.offsets[i+1]
	if lo > hi || hi > uint64(s.terms.Length) {
		return nil, 0, s.corrupt(&s.termIndex, int64(len(ti.keys)+i)*8, "block %d spans %d to %d", i, lo, hi)
	}
	b, err := s.rangeOf(&s.terms, int64(lo), int64(hi-lo))
	return b, int64(lo), err
}

// termsOf returns how many terms block i has, 0 if there is none.
func (ls Lists) termsOf(i int) int { return ls.s.fields[ls.s.fieldOfBlock(i)].termsOf(i) }

// firstIn returns the ordinal of the first term of block i.
func firstIn(i int) uint64 { return uint64(i) * layout.TermsPerBlock }

// parseEntry decodes the entry of term i of a block, which is at pos. It returns the position
// after the entry, or -1.
func (ls Lists) parseEntry(t *TermBlock, i, pos int) (Entry, int) {
	s := ls.s
	b, ordinal := t.Bytes, t.First+uint64(i)
	v, pos := layout.Uvarint(b, pos)
	if pos < 0 {
		return Entry{}, -1
	}
	x := v >> 2
	if v&3 == layout.EntryOnce {
		if x >= uint64(s.meta.Docs) {
			return Entry{}, -1
		}
		return Entry{Ordinal: ordinal, Kind: KindSingleton, DF: 1, Doc: uint32(x), TF: 1}, pos
	}
	w, pos := layout.Uvarint(b, pos)
	if pos < 0 {
		return Entry{}, -1
	}
	switch v & 3 {
	case layout.EntrySingle:
		if x >= uint64(s.meta.Docs) || w > math.MaxUint32-2 {
			return Entry{}, -1
		}
		return Entry{Ordinal: ordinal, Kind: KindSingleton, DF: 1, Doc: uint32(x), TF: uint32(w) + 2}, pos
	case layout.EntryCompact:
		if x < 2 || x >= layout.MinExtent || x > uint64(s.meta.Docs) || w > uint64(len(b)-pos) {
			return Entry{}, -1
		}
		return Entry{Ordinal: ordinal, Kind: KindCompact, DF: uint32(x), Offset: t.Offset + int64(pos), Length: uint32(w)}, pos + int(w)
	}
	if x >= uint64(s.postings.Length)/layout.ExtentAlign || w < layout.MinExtent || w > uint64(s.meta.Docs) {
		return Entry{}, -1
	}
	return Entry{Ordinal: ordinal, Kind: KindExtent, DF: uint32(w), Offset: int64(x) * layout.ExtentAlign}, pos
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
