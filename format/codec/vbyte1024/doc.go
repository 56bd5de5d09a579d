// Package vbyte1024 is GPU-VByte1024 of Mallia, Siedlaczek, Suel and Zahran 2019,
// section 3.2: vbyte128 with blocks of 1024 values. Fewer endpoints make it
// smaller, and a whole thread block of a GPU decodes one.
//
// docIDs are stored as d-gaps less one, relative to the docID before the block in
// the skip header; frequencies less one.
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
// Selectors and values are those of package bytepack; a full block has 256 bytes
// of selectors. Selectors without a value, the rest of the selector words and the
// padding to whole words are zero.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks those zeros,
// that there are as many bytes as the endpoints say, and that docIDs rise strictly
// and end on the docID in the skip header. It accepts values that take more bytes than
// they need. If one codec of an extent has blocks of 1024, so has the other.
package vbyte1024
