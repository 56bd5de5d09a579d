// Package vbyte1024 implements GPU-VByte1024 of Mallia, Siedlaczek, Suel and Zahran 2019,
// section 3.2: vbyte128 with blocks of 1024 values, and so fewer endpoints.
//
// DocIDs are stored as d-gaps minus one, starting from the docID before the block in
// the skip header; frequencies are stored minus one.
//
//	list     ┌─────────┬─────────┬───┬─────────┐
//	         │ block 0 │ block 1 │...│ block m │     no list header: Ends[0] = 0
//	         └─────────┴─────────┴───┴─────────┘
//
//	block    ┌───────────────────┬──────┬──────┬───┬────────┬─────┐
//	         │ selectors         │ v0   │ v1   │...│ v(n-1) │ pad │
//	         └───────────────────┴──────┴──────┴───┴────────┴─────┘
//	bytes     4*ceil(ceil(n/4)/4) 1..4   1..4       1..4     0..3
//
// Selectors and values are those of package bytepack; a full block has 256 bytes of
// selectors. Unused selectors, the rest of the selector words and the padding to whole
// words are zero.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks these zeros,
// that the block has the length given by the selectors, and that docIDs strictly increase
// and end on the docID in the skip header. It accepts values with more bytes than
// necessary. If one sequence of an extent has blocks of 1024, so must the other.
package vbyte1024
