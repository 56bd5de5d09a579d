package segment

import (
	"encoding/binary"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// Raw gives access to the stored form of a segment's parts, for builders, checks and dumps.
// It is a type of its own so that the methods of Segment are only those that readers need.
type Raw Segment

// Raw returns the stored form of s.
func (s *Segment) Raw() *Raw { return (*Raw)(s) }

// SectionBytes returns n bytes at offset off in a section, or an error if they are not
// within it. On mapped data it does not copy.
func (r *Raw) SectionBytes(id format.SectionID, off, n int64) ([]byte, error) {
	s := (*Segment)(r)
	sec := s.section(id)
	if sec == nil {
		return nil, r.Corrupt(id, 0, "section is missing")
	}
	return s.rangeOf(sec, off, n)
}

// SkipPageChecks makes s read its pages without comparing them with PAGESUMS. It must be
// called before any other use of s.
func (r *Raw) SkipPageChecks() { r.pages.good = nil }

// Forget tells Data that caches what it reads that n bytes at off of the file are damaged. It reports whether they can be
// read again.
func (r *Raw) Forget(off, n int64) bool { return (*Segment)(r).forget(off, n) }

// Pages returns the pages that have sums in PAGESUMS.
func (r *Raw) Pages() format.Pages { return r.pages.Pages }

// CheckPage compares b, the bytes of a page, with its sum. It counts as checked then, unless Data caches what it reads. sec is
// what an error names.
func (r *Raw) CheckPage(sec format.Section, page int64, b []byte) error {
	return pageChecks{(*Segment)(r)}.page(&section{Section: sec}, page, b)
}

// StoredPageSum returns the sum that PAGESUMS has of a page.
func (r *Raw) StoredPageSum(page int64) (uint32, error) {
	i, at := r.pages.Group(page)
	group, err := pageChecks{(*Segment)(r)}.groupOf(i)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(group[at:]), nil
}

// Corrupt returns an error of kind format.ErrCorrupt at offset off in a section.
func (r *Raw) Corrupt(id format.SectionID, off int64, msg string, args ...any) error {
	s := (*Segment)(r)
	sec := section{Section: format.Section{ID: id}}
	if i := slices.IndexFunc(s.h.Sections, func(x format.Section) bool { return x.ID == id }); i >= 0 {
		sec.Section = s.h.Sections[i]
	}
	return s.corrupt(&sec, off, msg, args...)
}

// StoredBlocks returns the number of blocks of stored text, which is 0 without stored text.
func (r *Raw) StoredBlocks() (int, error) {
	s := (*Segment)(r)
	index, err := s.Documents().storedIndexOf()
	return max(len(index)/layout.StoredEntry-1, 0), err
}

// StoredBlock returns block i of the stored text, which must exist.
func (r *Raw) StoredBlock(i int) (StoredBlock, error) {
	s := (*Segment)(r)
	index, err := s.Documents().storedIndexOf()
	if err != nil {
		return StoredBlock{}, err
	}
	return s.Documents().storedBlockAt(index, i)
}

// StoredEnd returns the last entry of STOREDINDEX of a segment with stored text: the number
// of documents, a form that is 0, and the length of STORED.
func (r *Raw) StoredEnd() (docs, form uint32, length uint64, err error) {
	s := (*Segment)(r)
	index, err := s.Documents().storedIndexOf()
	if err != nil || index == nil {
		return 0, 0, 0, err
	}
	e := index[len(index)-layout.StoredEntry:]
	return binary.LittleEndian.Uint32(e), binary.LittleEndian.Uint32(e[4:]), binary.LittleEndian.Uint64(e[8:]), nil
}

// CheckStored inflates all of block b with texts, a reader of r, and checks that it has its
// documents and nothing else.
func (r *Raw) CheckStored(texts *Texts, b StoredBlock) error { return texts.check(b) }

// IDIndex returns section IDINDEX: the offset of every block in IDS, and the end of the
// last block. It must not be modified.
func (r *Raw) IDIndex() ([]uint64, error) {
	s := (*Segment)(r)
	w, err := s.Documents().idIndexWords()
	if err == nil {
		err = s.touch(&s.idIndex, 0, s.idIndex.Length)
	}
	return w, err
}

// IDHashes returns section IDHASH of a version in which it is not packed, ascending: for every document, the hash of its id
// in the high half and its docID in the low half. It must not be modified.
func (r *Raw) IDHashes() ([]uint64, error) {
	s := (*Segment)(r)
	h, err := s.words(&s.idHash, &s.views.idHash)
	if err == nil {
		err = s.touch(&s.idHash, 0, s.idHash.Length)
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// IDBlock returns the bytes of block i of IDS, which must exist, and their offset in IDS:
// ids, front-coded as specified in format/FORMAT.md.
func (r *Raw) IDBlock(i int) ([]byte, int64, error) { return (*Segment)(r).Documents().idBlock(i) }

// TermIndex returns section TERMINDEX: for every block, the first 8 bytes of its first term
// as a big-endian number, zero-padded, and its offset in TERMS. offsets has one more
// element, the end of the last block. Neither must be modified.
func (r *Raw) TermIndex() (keys, offsets []uint64, err error) {
	ti, err := (*Segment)(r).Lists().termIndexOf()
	if err != nil {
		return nil, nil, err
	}
	return ti.keys, ti.offsets, nil
}

// TermKeys returns the keys of TERMINDEX, whose blocks must span TERMS.
func (r *Raw) TermKeys() ([]uint64, error) {
	keys, offsets, err := r.TermIndex()
	if err != nil {
		return nil, err
	}
	if first, last := offsets[0], offsets[len(keys)]; first != 0 || last != uint64(r.terms.Length) {
		return nil, r.Corrupt(format.SectionTermIndex, 0, "blocks span %d to %d of %d bytes", first, last, r.terms.Length)
	}
	return keys, nil
}

// TermsIn returns how many terms block i of the dictionary has, 0 if there is none.
func (r *Raw) TermsIn(i int) int { return (*Segment)(r).Lists().termsOf(i) }

// TermBlock returns block i of the dictionary, which must exist. It has parsed the heads of
// the terms but not the entries.
func (r *Raw) TermBlock(i int) (TermBlock, error) { return (*Segment)(r).Lists().termBlock(i) }

// PositionIndex returns what POSITIONINDEX has of block i of the dictionary: where it begins in POSITIONS,
// or, behind the last block, the length of POSITIONS.
func (r *Raw) PositionIndex(i int) (uint64, error) {
	b, err := r.SectionBytes(format.SectionPositionIndex, 8*int64(i), 8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// PositionParts returns where in POSITIONS the parts of block i of the dictionary are, which must exist
// and be of a field with positions.
func (r *Raw) PositionParts(i int) (PositionParts, error) {
	return positionTable{(*Segment)(r)}.parts(i)
}

// ParseEntry decodes the entry of term i of b, which is at position pos of b.Bytes. It
// returns the position after the entry, or -1 if the entry is malformed.
func (r *Raw) ParseEntry(b *TermBlock, i, pos int) (Entry, int) {
	return (*Segment)(r).Lists().parseEntry(b, i, pos)
}

// ColumnBlock returns the bytes of block b of c, a column of r, which must exist. It begins to read the blocks that
// follow, too, if the Data can be told.
func (r *Raw) ColumnBlock(c *Column, b int) ([]byte, error) {
	c.walk(b)
	return c.block(b, c.t.size(b))
}
