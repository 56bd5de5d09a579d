// Package segment provides typed views of one immutable segment file: term dictionary,
// posting lists, document lengths, external ids and stored text. format/FORMAT.md specifies
// the bytes.
//
// A Segment over mapped memory does not copy payloads. Everything read from the file is
// checked before it is used: its page against a checksum, once, and what it says against the
// specification. A violation is an error of kind format.ErrCorrupt with its location. Open
// takes the same time whatever the size of the file and so does not check content;
// Snapshot.Verify of package reader checks all of it.
package segment

// The files:
//
//	segment.go data.go meta.go   Open; the source of bytes; metadata
//	parts.go                     Lists, Docs
//	pages.go                     checksums of pages, compared on first touch
//	ahead.go fetch.go            what is read ahead: of mapped files, on demand
//	fields.go                    Field, FieldView; section FIELDS
//	frequent.go                  the terms of most documents
//	terms.go termiter.go         Lookup; TermIterator
//	match.go                     the terms that an Automaton accepts
//	termblock.go                 stored blocks of the dictionary; their entries
//	list.go extent.go bounds.go  List; the parts of an extent; bounds on positions
//	rows.go                      Rows: the postings of a list, a row of blocks at a time
//	locate.go                    where damage is: file, section, list, block
//	ids.go lengths.go            external ids; LengthTable
//	positions.go positions_read.go  Positions of a list; PositionReader
//	column.go                    Column; what section COLUMNBOUNDS says of it
//	column_read.go column_words.go  its values; its dictionary of keywords
//	column_values.go             values of a document that are only in columns
//	stored.go texts.go           stored text, of one document or of many in order
//	raw.go                       the stored form of sections and blocks
