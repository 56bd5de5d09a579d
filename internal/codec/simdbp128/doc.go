// Package simdbp128 implements SIMD-BP128 (Lemire and Boytsov 2015; Mallia 2019, section
// 2): blocks of 128 values, packed with the number of bits of the block's largest value
// into as many vectors of 128 bits. A vector with their widths precedes every 16 blocks.
//
// DocIDs are stored as d-gaps minus one, starting from the docID before the block in
// the skip header; frequencies are stored minus one.
//
//	list     ┌───────────┬─────────┬───┬──────────┬───────────┬──────────┬───┐
//	         │ selectors │ block 0 │...│ block 15 │ selectors │ block 16 │...│
//	         └───────────┴─────────┴───┴──────────┴───────────┴──────────┴───┘
//	word     0                                    Ends[16]           Ends[0] = 0
//
//	byte     0    1         15
//	selectors┌────┬────┬───┬─────┐
//	         │ b0 │ b1 │...│ b15 │    widths of the next 16 blocks, 0 to 32; 0 for
//	         └────┴────┴───┴─────┘    those that the list does not have
//
//	block    ┌──────────┬──────────┬───┐
//	         │ vector 0 │ vector 1 │...│    package bitpack, width b, 16 bytes each
//	         └──────────┴──────────┴───┘
//
// The selectors are part of the first block after them: if i is a multiple of 16, the
// first four words of block i are selectors. The width of block i is byte i mod 16 of the
// selectors at word Ends[i - i mod 16], so a block can be decoded without the others, but
// not without its selectors, and cannot be copied to another list. A short block of n
// values takes ceil(ceil(n/4)*b/32) vectors; the paper leaves values after the last full
// block to another codec.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the block
// has the length given by its width, that unused bits are zero, and that docIDs strictly
// increase and end on the docID in the skip header. It does not check that widths are
// minimal.
package simdbp128
