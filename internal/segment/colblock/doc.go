// Package colblock codes the parts of columns (format/FORMAT.md, section 4.13): blocks with the
// values of 4,096 documents, what COLUMNBOUNDS says of them, and dictionaries of keywords. It
// knows neither files nor fields.
//
//	bounds.go   heads of columns and entries of blocks in COLUMNBOUNDS
//	packed.go   numbers of up to 64 bits, packed
//	encode.go   Encoder: values of documents to blocks
//	sorted.go   values that ascend or descend, as differences
//	decode.go   Block: its parts, and the values of a document
//	read.go     all values of a block
//	mask.go     the documents with values in a range, or in a set
//	words.go    dictionaries
//	parts.go    the parts of a block, for people to read
package colblock
