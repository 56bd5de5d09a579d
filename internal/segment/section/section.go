// Package section says what an optional section of segments consists of. A package beside
// this one has one section, or several that belong together, and package sections lists
// them. format.Sections has what is true of them whatever they hold.
package section

import (
	"fmt"
	"io"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// Section is what builders and checks do with optional sections. The functions of a row do
// not keep their arguments. They are called for segments that have the sections, except for Build.
type Section struct {
	// IDs are the sections, in the order in which builders write them.
	IDs []format.SectionID
	// Straight means that the content of the first is written while documents are added,
	// before all else on its side. At most one row has it. All other content is held, in
	// memory or a temporary file, until its turn comes.
	Straight bool
	// Build returns a Builder for a new segment, or nil if the segment is not to have the
	// sections. What it writes to out(id) is the content of section id. It is nil for a
	// section of lists or columns, which package build writes.
	Build func(o Options, out func(format.SectionID) io.Writer) Builder
	// Check checks the content, by levels Structure and Postings of package check. It
	// returns only errors of v.
	Check func(v Verifier) error
	// Work is what a byte costs Check, in units of the checksum of a byte.
	Work int64
}

// Tools is what dumps and salvage do with the sections of a row. It is apart from Section, so
// that programs that only write and search do not contain it.
type Tools struct {
	*Section
	// Dump shows the content of section id, as far as it can be decoded.
	Dump func(c Cursor, s *segment.Segment, id format.SectionID)
	// Find returns the lengths of the sections in a file of version v whose section table is
	// lost, or nil if it does not have them. The last of them ends, with its padding, at end.
	// read reads the file. What it returns need not be right, since a checksum decides. Find
	// is nil for a section whose presence and length META and FIELDS imply.
	Find func(v format.Version, read func(off, n int64) ([]byte, error), end int64, n format.Counts) []int64
	// Derive returns the content of section id as sound sections imply it, or nil. It is
	// nil if none do.
	Derive func(s *segment.Segment, id format.SectionID, sound func(format.SectionID) bool) []byte
}

// Options are what is known of a segment when it begins.
type Options struct {
	Docs   uint32
	Stored bool // META says that text is stored
}

// Doc is a document that is added to a segment.
type Doc struct {
	ID, Text []byte
	// From, unless it is nil, is the segment that the document is copied from, where it has
	// docID Old. Builders take what they need besides ID and Text from its sections.
	From *segment.Segment
	Old  uint32
}

// Builder makes the content of sections, document by document.
type Builder interface {
	// Add adds the next document.
	Add(d *Doc) error
	// AddAll adds all documents of s, in their order.
	AddAll(s *segment.Segment) error
	// Finish ends the content, and reports whether the segment has the sections: those of a
	// row without Straight may turn out not to be needed.
	Finish() (bool, error)
}

// Verifier is a run of package check.
type Verifier interface {
	Segment() *segment.Segment
	// Postings reports whether it is by level Postings.
	Postings() bool
	// Each calls f for ranges of at most grain of the numbers below n, on several
	// goroutines, and returns the error of the first range that has one.
	Each(n, grain int, f func(lo, hi int) error) error
	// Report records err, which may be nil. length is the number of bytes that it affects,
	// 0 if unknown, and docs are the documents from docs[0] to before docs[1], none if it is
	// not known which. It returns nil if the check goes on.
	Report(err error, length int64, docs [2]uint32) error
	// Step reports that n more units of work are done. Its error ends the check.
	Step(n int64) error
}

// Cursor moves through the content of a section and shows its fields. It stops at malformed
// bytes. An empty value stands for the number itself; other values may hold one verb.
type Cursor interface {
	// More reports whether another field is wanted and present.
	More() bool
	// Uvarint shows a varint.
	Uvarint(name, value string) uint64
	// Fixed shows a little-endian number of n bytes.
	Fixed(n int64, name, value string) uint64
	// Field shows n bytes as value describes them.
	Field(n uint64, name string, value func(b []byte) string) []byte
}

// Implied is Section.Find for one section whose length META implies.
func Implied(id format.SectionID) func(format.Version, func(off, n int64) ([]byte, error), int64, format.Counts) []int64 {
	return func(v format.Version, _ func(off, n int64) ([]byte, error), _ int64, n format.Counts) []int64 {
		row, _ := id.Info()
		return []int64{row.Length.Implied(v, n)}
	}
}

// Count formats an integer in groups of three digits, for Dump.
func Count[T ~int | ~int64 | ~uint32 | ~uint64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
