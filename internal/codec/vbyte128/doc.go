// Package vbyte128 implements GPU-VByte128 of Mallia, Siedlaczek, Suel and Zahran 2019,
// section 3.2: blocks of 128 values of 1 to 4 bytes each, preceded by 2-bit selectors
// with the lengths.
//
// DocIDs are stored as d-gaps minus one, starting from the docID before the block in
// the skip header; frequencies are stored minus one.
//
//	block    ┌───────────────────┬──────┬──────┬───┬────────┬─────┐
//	         │ selectors         │ v0   │ v1   │...│ v(n-1) │ pad │
//	         └───────────────────┴──────┴──────┴───┴────────┴─────┘
//	bytes     4*ceil(ceil(n/4)/4) 1..4   1..4       1..4     0..3
//
// The selector of value j is bits 2*(j%4) and 2*(j%4)+1 of byte j/4: the number of bytes
// of the value, minus one. Values are little-endian; encoders use the minimum number of
// bytes. Unused selectors, the rest of the selector words and the padding to whole words
// are zero. Ends[0] is 0.
//
// A decoder checks these zeros, that the block has the length given by the selectors, and
// that docIDs strictly increase and end on the docID in the skip header. It accepts
// values with more bytes than necessary.
package vbyte128
