// Package segment gives typed views of one immutable segment file: term dictionary, posting
// lists, document lengths, external ids and stored text. format/FORMAT.md specifies the
// bytes.
//
//	segment.go data.go meta.go   Open; where bytes come from; what a segment says about itself
//	terms.go termiter.go         Lookup; TermIterator
//	termblock.go                 a block of the dictionary as it is stored; Entry
//	list.go extent.go bounds.go  List; the parts of an extent; bounds on positions
//	rows.go                      Rows: the postings of a list, a row of blocks at a time
//	ids.go lengths.go            external ids; LengthTable
//	stored.go texts.go           stored text, of one document or of many in order
//	raw.go                       sections and blocks as they are stored
//
// Folders below write segments (build), verify them (check) and explain their bytes (dump);
// what they share with the views lies in internal.
//
// A Segment over mapped memory copies no payload. Everything read from the file is checked
// before it is used; what contradicts the specification is an error of kind
// format.ErrCorrupt that says where. Open costs the same for every size and so does not
// look at content; check.Segment looks at all of it.
package segment
