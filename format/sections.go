package format

import (
	"iter"
	"strconv"
)

// Kind is the kind of a file.
type Kind uint32

// The kinds of file.
const (
	KindSegment  Kind = 1 // one immutable segment
	KindManifest Kind = 2 // one commit: the list of its segments
	KindDeletes  Kind = 3 // deleted docIDs of one segment, as of one commit
	KindValues   Kind = 4 // values of one segment that were changed in place, as of one commit
)

// String returns the kind's name.
func (k Kind) String() string {
	switch k {
	case KindSegment:
		return "segment"
	case KindManifest:
		return "manifest"
	case KindDeletes:
		return "deletes"
	case KindValues:
		return "values"
	}
	return "kind " + strconv.FormatUint(uint64(k), 10)
}

// SectionID identifies the content of a section. Numbers are never reused.
type SectionID uint32

// The sections of this version, described by the rows of Sections.
const (
	SectionMeta          SectionID = 1  // counts, analyzer, codecs
	SectionTerms         SectionID = 2  // term blocks with entries and compact lists
	SectionTermIndex     SectionID = 3  // key and offset of every term block
	SectionPostings      SectionID = 4  // list extents
	SectionDocLengths    SectionID = 5  // tokens of every document
	SectionIDs           SectionID = 6  // external ids in docID order
	SectionIDIndex       SectionID = 7  // block offsets of SectionIDs
	SectionIDHash        SectionID = 8  // documents by the hashes of their ids
	SectionStored        SectionID = 9  // stored text in compressed blocks
	SectionStoredIndex   SectionID = 10 // block offsets of SectionStored
	SectionManifest      SectionID = 11 // segments of a commit
	SectionDeletes       SectionID = 12 // roaring bitmap of docIDs
	SectionPageSums      SectionID = 13 // a CRC-32C of every page before it
	SectionLists         SectionID = 14 // where the extents of every term block begin
	SectionFields        SectionID = 15 // fields, of an index with a schema
	SectionPositions     SectionID = 18 // where in their documents terms occur
	SectionColumns       SectionID = 19 // values of fields by document
	SectionColumnBounds  SectionID = 20 // least and greatest values of parts of columns
	SectionFrequent      SectionID = 22 // the terms of most documents, of a long segment
	SectionPositionIndex SectionID = 24 // where the positions of every term block are
	SectionAncestry      SectionID = 25 // which commits a commit comes from
	SectionCommitMeta    SectionID = 26 // keys and values of programs, kept with a commit
	SectionVectors       SectionID = 27 // codes of vectors, and what bounds their scores
	SectionVectorFloats  SectionID = 28 // vectors as they were added
	SectionValues        SectionID = 29 // blocks of columns in the place of a segment's
)

// Sections that later versions fill. Files that have one are too new.
const (
	SectionBounds2    SectionID = 16 // a quad for every 4,096 postings of long lists
	SectionTopDocs    SectionID = 17 // the best documents of terms
	SectionStoredDict SectionID = 21 // what the blocks of SectionStored were compressed with
)

// SectionRequired is the flag of a section that a reader must know to read the file.
const SectionRequired uint32 = 1

// SectionInfo is a row of the table of sections: what is true of a section whatever it
// holds.
type SectionInfo struct {
	ID       SectionID
	Name     string
	Kind     Kind       // of the files that have it
	Required bool       // a reader must know it: the flag that writers set
	Side     Side       // where builders write it
	Tail     bool       // builders write it behind both sides, with what every query needs
	Reserved bool       // a later version fills it: files that have it are too new
	Hot      bool       // queries read it to find documents, not only for those that they found
	Whole    bool       // a segment that is going to be searched reads it whole beforehand
	Length   LengthRule // what its length must be
}

// Side is a part of a segment. Builders write lists and documents in either order, behind them
// columns, and then the tail, which is what has Tail set or is on no side.
type Side uint8

// The sides of a segment.
const (
	SideLists   Side = 1 + iota // the lists and their dictionary
	SideDocs                    // what segments have of each document
	SideColumns                 // values of fields by document
)

// LengthRule says what the length of a section must be. The zero value allows any.
type LengthRule struct {
	Implied  func(v Version, n Counts) int64 // the length in a file of version v, unless nil
	Multiple int64                           // the length is a multiple of it, unless 0
	Least    int64                           // the least length
}

// Counts are what META says that lengths of sections follow from.
type Counts struct {
	Docs, TermBlocks, IDBlocks int64
	LengthBytes                int64 // of DOCLENGTHS
}

// sections is the table, in the order of ids.
var sections = []SectionInfo{
	{ID: SectionMeta, Name: "meta", Kind: KindSegment, Required: true, Hot: true},
	{ID: SectionTerms, Name: "terms", Kind: KindSegment, Required: true, Side: SideLists, Hot: true},
	{ID: SectionTermIndex, Name: "term-index", Kind: KindSegment, Required: true, Side: SideLists, Tail: true, Hot: true, Whole: true,
		Length: LengthRule{Implied: func(_ Version, n Counts) int64 { return 16*n.TermBlocks + 8 }}},
	{ID: SectionPostings, Name: "postings", Kind: KindSegment, Required: true, Side: SideLists, Hot: true,
		Length: LengthRule{Multiple: 64}},
	{ID: SectionDocLengths, Name: "doc-lengths", Kind: KindSegment, Required: true, Side: SideDocs, Tail: true, Hot: true, Whole: true,
		Length: LengthRule{Implied: func(_ Version, n Counts) int64 { return n.LengthBytes }}},
	{ID: SectionIDs, Name: "ids", Kind: KindSegment, Required: true, Side: SideDocs},
	{ID: SectionIDIndex, Name: "id-index", Kind: KindSegment, Required: true, Side: SideDocs,
		Length: LengthRule{Implied: func(_ Version, n Counts) int64 { return 8*n.IDBlocks + 8 }}},
	{ID: SectionIDHash, Name: "id-hash", Kind: KindSegment, Required: true, Side: SideDocs,
		Length: LengthRule{Implied: idHashLength}},
	{ID: SectionStored, Name: "stored", Kind: KindSegment, Side: SideDocs},
	{ID: SectionStoredIndex, Name: "stored-index", Kind: KindSegment, Side: SideDocs, Whole: true,
		Length: LengthRule{Multiple: 16, Least: 16}},
	{ID: SectionManifest, Name: "manifest", Kind: KindManifest, Required: true},
	{ID: SectionDeletes, Name: "deletes", Kind: KindDeletes, Required: true},
	{ID: SectionPageSums, Name: "page-sums", Kind: KindSegment, Required: true, Hot: true},
	{ID: SectionLists, Name: "lists", Kind: KindSegment, Side: SideLists, Tail: true, Hot: true,
		Length: LengthRule{Implied: func(_ Version, n Counts) int64 { return 8*n.TermBlocks + 8 }}},
	{ID: SectionFields, Name: "fields", Kind: KindSegment, Required: true, Hot: true},
	{ID: SectionBounds2, Name: "bounds2", Kind: KindSegment, Reserved: true},
	{ID: SectionTopDocs, Name: "top-docs", Kind: KindSegment, Reserved: true},
	{ID: SectionPositions, Name: "positions", Kind: KindSegment, Side: SideLists, Hot: true},
	{ID: SectionColumns, Name: "columns", Kind: KindSegment, Side: SideColumns, Hot: true},
	{ID: SectionColumnBounds, Name: "column-bounds", Kind: KindSegment, Side: SideColumns, Tail: true, Hot: true,
		Length: LengthRule{Multiple: 8, Least: 64}},
	{ID: SectionStoredDict, Name: "stored-dict", Kind: KindSegment, Reserved: true},
	{ID: SectionFrequent, Name: "frequent", Kind: KindSegment, Side: SideLists, Tail: true,
		Length: LengthRule{Least: 1}},
	{ID: SectionPositionIndex, Name: "position-index", Kind: KindSegment, Side: SideLists, Tail: true, Hot: true, Whole: true,
		Length: LengthRule{Implied: func(_ Version, n Counts) int64 { return 8*n.TermBlocks + 8 }}},
	{ID: SectionAncestry, Name: "ancestry", Kind: KindManifest},
	{ID: SectionCommitMeta, Name: "commit-meta", Kind: KindManifest},
	{ID: SectionVectors, Name: "vectors", Kind: KindSegment, Side: SideColumns, Hot: true,
		Length: LengthRule{Multiple: 64, Least: 64}},
	{ID: SectionVectorFloats, Name: "vector-floats", Kind: KindSegment, Side: SideColumns,
		Length: LengthRule{Multiple: 64, Least: 64}},
	{ID: SectionValues, Name: "values", Kind: KindValues, Required: true},
}

// Sections returns the rows of the table of sections, in the order of their ids, without
// those that later versions fill.
func Sections() iter.Seq[SectionInfo] {
	return func(yield func(SectionInfo) bool) {
		for _, row := range sections {
			if !row.Reserved && !yield(row) {
				return
			}
		}
	}
}

// info returns the row of s, or nil if this version does not know it.
func (s SectionID) info() *SectionInfo {
	for i := range sections {
		if sections[i].ID == s {
			return &sections[i]
		}
	}
	return nil
}

// Info returns the row of s and reports whether there is one.
func (s SectionID) Info() (SectionInfo, bool) {
	if i := s.info(); i != nil {
		return *i, true
	}
	return SectionInfo{}, false
}

// String returns the section's name.
func (s SectionID) String() string {
	if i := s.info(); i != nil {
		return i.Name
	}
	return "section " + strconv.FormatUint(uint64(s), 10)
}

// Flags returns the flags that writers set: SectionRequired, or 0.
func (s SectionID) Flags() uint32 {
	if i := s.info(); i != nil && i.Required {
		return SectionRequired
	}
	return 0
}
