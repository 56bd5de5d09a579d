// Package exchange imports and exports collections and indexes: it reads documents
// (JSONL, TSV, TREC text, directories of text files) and posting lists (CIFF, ds2i),
// and writes CIFF and JSONL.
//
// Text inputs may be compressed with gzip, zstd or bzip2, which is detected by content; reading and inflating
// run in a goroutine of their own. The package does not trust its input: every error
// names the file and the line or byte offset, no input causes a panic, and memory is
// allocated for bytes that have been read, not for lengths that the input claims.
//
// Inside:
//
//	document.go, detect.go    Source and its errors; detecting formats
//	jsonl*.go, tsv.go, trec.go, textdir.go
//	                          formats for documents
//	inverted.go, ciff*.go, ds2i*.go
//	                          formats for posting lists
//	snapshot.go               an index as posting lists, for export
//	queries.go, topics.go     files of queries
//	input.go, lines.go        reading ahead, inflating, splitting into lines
package exchange
