// Package varintgb implements group varint (Dean 2009, after Mallia 2019, section 2): a
// group of four values consists of a tag byte with their lengths, followed by their
// bytes.
//
// DocIDs are stored as d-gaps minus one, starting from the docID before the block in
// the skip header; frequencies are stored minus one.
//
//	list     ┌─────────┬─────────┬───┬─────────┐
//	         │ block 0 │ block 1 │...│ block m │     no list header: Ends[0] = 0
//	         └─────────┴─────────┴───┴─────────┘
//
//	block    ┌─────────┬─────────┬───┬──────────────────┬─────┐
//	         │ group 0 │ group 1 │...│ group ceil(n/4)-1 │ pad │     pad 0..3 bytes
//	         └─────────┴─────────┴───┴──────────────────┴─────┘
//
//	group    ┌─────┬──────┬──────┬──────┬──────┐
//	         │ tag │ v0   │ v1   │ v2   │ v3   │
//	         └─────┴──────┴──────┴──────┴──────┘
//	bytes     1     1..4   1..4   1..4   1..4
//
// Bits 2*j and 2*j+1 of the tag are the number of bytes of value j, minus one. Values are
// little-endian. The last group of a list may have fewer values; the tag bits of missing
// values are zero. Each block is padded with zeros to whole words.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that a block has
// the length given by its tags, that padding and unused tag bits are zero, and that
// docIDs strictly increase and end on the docID in the skip header. It accepts values
// with more bytes than necessary.
package varintgb
