// Package build writes segment files: the parts that package segment reads.
//
//	builder.go          Builder: the order of sections, from Options to the finished file
//	list.go             ListEncoder: postings to a dictionary entry or an extent
//	list_merge.go       appending lists of other segments, copying blocks where possible
//	list_positions.go   the positions of a list
//	list_tail.go        payloads of long lists in temporary files
//	extent.go bounds.go the bytes of an extent; linear regression and hash buckets
//	impact.go           the scoring model for impact metadata
//	frontier.go kth.go  block-max quads; k-th impacts
//	terms.go            TERMS, TERMINDEX and LISTS; what FREQUENT has
//	positions.go        POSITIONS and POSITIONINDEX
//	termmerge.go        TermMerger: the dictionaries of several segments in one walk
//	fields.go           the fields of an index with a schema
//	columns.go          COLUMNS and COLUMNBOUNDS
//	columns_copy.go     CopyColumns: those of other segments
//	ids.go lengths.go   the other sections that every segment has
//	optional.go         those of package internal/segment/sections
//	spool.go            Spool: temporary files; streams of later sections
//
// A Builder does not call back into the code that uses it: lengths are tables, codecs are
// chosen by a choose.Policy, temporary files come from a Spool.
package build
