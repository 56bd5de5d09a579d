package segment

import (
	"encoding/binary"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment/internal/layout"
)

// SectionBytes returns n bytes at offset off of a section, and an error if they do not
// lie in it. On mapped data nothing is copied.
func (s *Segment) SectionBytes(id format.SectionID, off, n int64) ([]byte, error) {
	return s.rangeOf(s.section(id), off, n)
}

// Corrupt returns an error of kind format.ErrCorrupt at offset off of a section.
func (s *Segment) Corrupt(id format.SectionID, off int64, msg string, args ...any) error {
	sec := section{Section: format.Section{ID: id}}
	if i := slices.IndexFunc(s.h.Sections, func(x format.Section) bool { return x.ID == id }); i >= 0 {
		sec.Section = s.h.Sections[i]
	}
	return s.corrupt(&sec, off, msg, args...)
}

// section returns a section that segments have.
func (s *Segment) section(id format.SectionID) *section {
	switch id {
	case format.SectionTerms:
		return &s.terms
	case format.SectionTermIndex:
		return &s.termIndex
	case format.SectionPostings:
		return &s.postings
	case format.SectionDocLengths:
		return &s.docLengths
	case format.SectionIDs:
		return &s.ids
	case format.SectionIDIndex:
		return &s.idIndex
	case format.SectionIDHash:
		return &s.idHash
	case format.SectionStored:
		return &s.stored
	case format.SectionStoredIndex:
		return &s.storedIndex
	}
	return &section{Section: format.Section{ID: id}}
}

// StoredBlock is a located block of stored text.
type StoredBlock struct {
	First, End   uint32 // docIDs, from First up to End
	Raw          bool   // the bytes are the content, else they are compressed by snappy
	Offset, Size int64  // in section STORED
}

// StoredBlocks returns how many blocks of stored text there are, 0 without stored text.
func (s *Segment) StoredBlocks() (int, error) {
	index, err := s.storedIndexOf()
	return max(len(index)/layout.StoredEntry-1, 0), err
}

// StoredBlock returns block i of the stored text, which exists.
func (s *Segment) StoredBlock(i int) (StoredBlock, error) {
	index, err := s.storedIndexOf()
	if err != nil {
		return StoredBlock{}, err
	}
	return s.storedBlockAt(index, i)
}

// StoredEnd returns the last entry of STOREDINDEX of a segment with stored text: the
// number of documents, a form that is 0 and the length of STORED.
func (s *Segment) StoredEnd() (docs, form uint32, length uint64, err error) {
	index, err := s.storedIndexOf()
	if err != nil || index == nil {
		return 0, 0, 0, err
	}
	e := index[len(index)-layout.StoredEntry:]
	return binary.LittleEndian.Uint32(e), binary.LittleEndian.Uint32(e[4:]), binary.LittleEndian.Uint64(e[8:]), nil
}

// StoredContent returns the content of block b, inflated into *scratch, which may grow,
// if need be: for each document a varint length and the text.
func (s *Segment) StoredContent(b StoredBlock, scratch *[]byte) ([]byte, error) {
	return s.readStored(b, scratch)
}
