// Package simdbp128 is SIMD-BP128 (Lemire and Boytsov 2015; Mallia 2019, section
// 2): blocks of 128 values, each packed with as many bits as its largest value needs
// into as few vectors of 128 bits, the widths of 16 blocks in a vector before them.
//
// docIDs are stored as d-gaps less one, relative to the docID before the block in
// the skip header; frequencies less one.
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
// The selectors count as the beginning of the first block after them: of the words
// from Ends[i] on, i a multiple of 16, the first four are selectors. The width of
// block i is byte i mod 16 of the selectors at word Ends[i - i mod 16], so a block
// decodes without the others, but does not stand alone and cannot be moved to
// another list. A short block of n values takes ceil(ceil(n/4)*b/32) vectors; the
// paper leaves values past the last full block to another codec.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the
// block is as long as its width says, that what has no value is zero, and that
// docIDs rise strictly and end on the docID in the skip header. It does not ask that
// widths are the least.
package simdbp128
