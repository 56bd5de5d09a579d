// Package streamvbyte is Stream VByte (Lemire, Kurz and Rupp 2018; Mallia 2019,
// section 2): every value in 1 to 4 bytes, the lengths of all values of the list
// in one stream, the bytes in another.
//
// docIDs are stored as d-gaps less one, relative to the docID before the block in
// the skip header; frequencies less one.
//
//	list     ┌─────────┬─────────┬─────────┬───┬─────────┐
//	         │ control │ block 0 │ block 1 │...│ block m │    Ends[0] = ceil(n/16)
//	         └─────────┴─────────┴─────────┴───┴─────────┘
//	word     0         Ends[0]   Ends[1]       Ends[m]   Ends[m+1]
//
//	control  ┌───────────────┬───────────────┬──────┐
//	         │ v0 v1 v2 v3   │ v4 v5 v6 v7   │ ...  │    one byte for four values of
//	         └───────────────┴───────────────┴──────┘    the list, 0... to a whole word
//	bit       0  2  4  6
//
//	block    ┌──────┬──────┬───┬────────┬─────┐
//	         │ v0   │ v1   │...│ v(n-1) │ pad │
//	         └──────┴──────┴───┴────────┴─────┘
//	bytes     1..4   1..4       1..4     0..3
//
// Control bytes are the selectors of package bytepack, the bytes of a value less
// one; values are little-endian. The control bytes of block i begin at byte 32*i, so
// with the endpoints a block of 128 decodes alone; for that its bytes are padded with
// zeros to whole words, 0.09 bits a value more than in the paper.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the
// control stream is as long as n says, that a block is as long as its control bytes
// say, that padding and control bits without a value are zero, and that docIDs rise
// strictly and end on the docID in the skip header. It accepts values that take
// more bytes than they need.
package streamvbyte
