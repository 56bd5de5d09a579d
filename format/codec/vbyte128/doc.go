// Package vbyte128 is GPU-VByte128 of Mallia, Siedlaczek, Suel and Zahran 2019,
// section 3.2: blocks of 128 values, each in 1 to 4 bytes, the lengths of a block
// in 2-bit selectors before the bytes.
//
// docIDs are stored as d-gaps less one, relative to the docID before the block in
// the skip header; frequencies less one.
//
//	block    ┌───────────────────┬──────┬──────┬───┬────────┬─────┐
//	         │ selectors         │ v0   │ v1   │...│ v(n-1) │ pad │
//	         └───────────────────┴──────┴──────┴───┴────────┴─────┘
//	bytes     4*ceil(ceil(n/4)/4) 1..4   1..4       1..4     0..3
//
// The selector of value j is bits 2*(j%4) and 2*(j%4)+1 of byte j/4: the bytes of
// the value, less one. Values are little-endian and take no more bytes than they
// need. Selectors without a value, the rest of the selector words and the padding
// to whole words are zero. Ends[0] is 0.
//
// A decoder checks those zeros, that there are as many bytes as the endpoints say, and
// that docIDs rise strictly and end on the docID in the skip header. It accepts values
// that take more bytes than they need.
package vbyte128
