// Package streamvbyte implements Stream VByte (Lemire, Kurz and Rupp 2018; Mallia 2019,
// section 2): each value has 1 to 4 bytes, with the lengths of all values of the list in
// one stream and the bytes in another.
//
// DocIDs are stored as d-gaps minus one, starting from the docID before the block in
// the skip header; frequencies are stored minus one.
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
// Control bytes are the selectors of package bytepack, the number of bytes of a value
// minus one; values are little-endian. The control bytes of block i start at byte 32*i,
// so with the endpoints a block of 128 can be decoded on its own. For this, its bytes are
// padded with zeros to whole words, which takes 0.09 bits per value more than the paper.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the control
// stream has the length given by n, that a block has the length given by its control
// bytes, that padding and unused control bits are zero, and that docIDs strictly increase
// and end on the docID in the skip header. It accepts values with more bytes than
// necessary.
package streamvbyte
