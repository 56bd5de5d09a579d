// Package varintgb is group varint (Dean 2009, after Mallia 2019, section 2): four
// values are a group, a tag byte with the lengths of the four and then their bytes.
//
// docIDs are stored as d-gaps less one, relative to the docID before the block in
// the skip header; frequencies less one.
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
// Bits 2*j and 2*j+1 of the tag are the bytes of value j, less one. Values are
// little-endian. The last group of a list may have fewer values; the tag bits of
// those that are missing are zero. A block of 128 is padded with zeros to whole
// words.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that a
// block is as long as its tags say, that padding and tag bits without a value are
// zero, and that docIDs rise strictly and end on the docID in the skip header. It
// accepts values that take more bytes than they need.
package varintgb
