// Package exchange imports and exports collections and indexes: it reads documents
// (JSON in lines, arrays and bulk requests, CSV, TSV, TREC's news and web pages, dumps of wikis,
// lines, folders of files) and posting lists (CIFF, ds2i), and writes CIFF and JSONL.
// docs/formats.md says what each is read as.
//
// Text inputs may be compressed with gzip, zstd or bzip2, which is detected by content.
// Reading and inflating run in a goroutine of their own.
//
// The package does not trust its input. Every error names the file and the line or byte
// offset. No input causes a panic. Memory is allocated for bytes that have been read, not
// for lengths that the input claims.
//
// Inside:
//
//	document.go               Source and its errors; what an id is
//	documents.go, whole.go    OpenDocuments: a file, or those of a folder
//	detect.go, foreign.go     formats, and files that are known and not read
//	fields.go                 which fields of an object make a document
//	keys.go, take.go, documents_values.go, jsonl_values.go
//	                          which keys go into the fields of a schema
//	fitting.go                what a file of a folder is whose records are no documents
//	misread.go, valid.go      texts that are not in their encoding
//	json.go                   JSON in arrays, over several lines, in bulk requests
//	wiki.go, wikitext.go      WikiExtractor and dumps of wikis
//	jsonl*.go, csv.go, tsv.go, trec.go, markup.go, plain.go
//	                          formats for documents
//	list.go                   lists of lines, such as ids
//	inverted.go, ciff*.go, ds2i*.go
//	                          formats for posting lists
//	snapshot.go               an index as posting lists, for export
//	misuse.go                 errors for missing arguments and for zero values
//	queries.go, topics.go     files of queries
//	input.go, lines.go        reading ahead, inflating, splitting into lines
package exchange
