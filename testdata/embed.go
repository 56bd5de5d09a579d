// Package testdata embeds the collection that the repository bundles: see README.md
// for where it comes from.
package testdata

import _ "embed"

// KJV is the King James Bible, one verse a document, as gzip-compressed JSONL with
// id and contents.
//
//go:embed kjv.jsonl.gz
var KJV []byte

// KJVDocs is the number of documents in KJV.
const KJVDocs = 31102
