// Package salvage mends damaged segments, and reads what is left of those that cannot be
// mended.
//
// Mend gives back what other parts of a file know: one flipped bit of a page, the front,
// the footer, META or PAGESUMS alone, and the sections that follow from others, which are
// IDINDEX, IDHASH, TERMINDEX, DOCLENGTHS, LISTS, FREQUENT and POSITIONINDEX, of segments with
// fields too. META and FIELDS of those follow from the dictionary, the lists and a schema that is known. Of COLUMNS,
// COLUMNBOUNDS and POSITIONS only one flipped bit a page is mended, since nothing else says what they do. What Mend gives back,
// checksums of 64 bits confirm.
//
// A Source reads the rest. The dictionary and the ids are front-coded in blocks. It walks
// the blocks one after the other, and continues behind a damaged one at the next block that
// an undamaged page of the index locates. A list loses only the blocks that do not decode,
// or, in a field with positions, whose positions do not.
// Documents whose ids cannot be read are lost with their postings, since nothing else
// identifies them. So it is in each field of a segment with a schema, where the lengths of
// documents are the sums of the frequencies that are left. Every loss is recorded, with its
// field.
//
//	mend.go     Mend; pages with a flipped bit
//	mender.go   the file that is mended, its checksums and pages
//	find.go     sections of a file whose section table is lost
//	sums.go     PAGESUMS
//	meta.go     META from the other sections
//	fields.go   META and FIELDS of segments with fields
//	derive.go   other sections that follow from sound ones
//	patched.go  a file with some pages replaced
//	salvage.go  Source
//	docs.go     its documents
//	columns.go  their values in columns
//	vectors.go  their vectors
//	lists.go    its lists
package salvage
