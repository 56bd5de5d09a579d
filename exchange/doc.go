// Package exchange carries collections and indexes between Pinion and the
// outside: it reads documents (JSONL, TSV, TREC text, directories of text
// files) and ready-made posting lists (CIFF, ds2i), and writes CIFF.
//
// Text inputs may be gzip-compressed, which is recognised by content; reading
// and inflating run in a goroutine of their own. Nothing here trusts its input:
// every error names the file and the line or byte offset, no input makes the
// package panic, and a length that the input claims is never allocated before
// the bytes are there.
package exchange
