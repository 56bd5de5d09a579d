// Package exchange carries collections and indexes between Pinion and the
// outside: it reads documents (JSONL, TSV, TREC text, directories of text
// files) and ready-made posting lists (CIFF, ds2i), and writes CIFF.
//
// Text inputs may be gzip-compressed, which is recognised by content; reading
// and inflating run in a goroutine of their own. Nothing here trusts its input:
// every error names the file and the line or byte offset, no input makes the
// package panic, and a length that the input claims is never allocated before
// the bytes are there.
//
// Inside:
//
//	document.go, detect.go    Source and its errors; which format an input has
//	jsonl*.go, tsv.go, trec.go, textdir.go
//	                          formats of documents
//	inverted.go, ciff*.go, ds2i*.go
//	                          formats of posting lists
//	snapshot.go               an index as posting lists, to export it
//	input.go, lines.go        reading ahead, inflating, cutting into lines
package exchange
