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

// The files, each of which uses only those above it:
//
//	meta.go entry.go bounds.go   metadata; entries of the dictionary; bounds on positions
//	data.go                      the source of bytes
//	fields.go                    Field; section FIELDS
//	pages.go term_index.go length_table.go column_table.go  views of whole sections
//	segment.go                   Segment
//	read.go page_checks.go sections.go  its bytes; checksums of pages, compared on first touch; ranges of sections
//	parts.go field_view.go       Lists, Documents, FieldView: what a segment has of what
//	ask.go                       what is asked for before it is read
//	open.go                      Open
//	termblock.go terms.go        stored blocks of the dictionary; Lookup
//	match.go termiter.go         Automaton; TermIterator, also over the terms that one accepts
//	locate.go                    where damage is: file, section, list, block
//	frequent.go                  the terms of most documents
//	list.go impacts.go extent.go list_read.go  List, its weights, the parts of an extent; blocks of postings
//	rows.go kth.go               the postings of a list, a row of blocks at a time; those that reach its k-th impacts
//	positions.go positions_read.go  Positions of a list; PositionReader
//	ids.go lengths.go            external ids; lengths
//	stored.go texts.go           stored text, of one document or of many in order
//	column.go                    Column; what section COLUMNBOUNDS says of it
//	column_read.go column_words.go  its values; its dictionary of keywords
//	column_values.go             values of a document that are only in columns
//	ahead.go fetch.go            what is read ahead: of mapped files, on demand
//	raw.go listsums.go           the stored form of sections and blocks; what lists add up to
