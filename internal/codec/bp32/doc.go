// Package bp32 implements binary packing with blocks of 32 values (Mallia 2019, section
// 2, after Anh and Moffat 2010 and Lemire and Boytsov 2015): a part of 32 values is
// packed with the number of bits of its largest value. Four parts, preceded by a word
// with their widths, are a block of 128.
//
// DocIDs are stored as d-gaps minus one, starting from the docID before the block in
// the skip header; frequencies are stored minus one.
//
//	list     ┌─────────┬─────────┬───┬─────────┐
//	         │ block 0 │ block 1 │...│ block m │     no list header: Ends[0] = 0
//	         └─────────┴─────────┴───┴─────────┘
//
//	byte     0    1    2    3    4
//	block    ┌────┬────┬────┬────┬────────┬────────┬────────┬────────┐
//	         │ b0 │ b1 │ b2 │ b3 │ part 0 │ part 1 │ part 2 │ part 3 │
//	         └────┴────┴────┴────┴────────┴────────┴────────┴────────┘
//	words                         b0       b1       b2       b3
//
// Part k contains values 32*k to 32*k+31 with b[k] bits each, 0 to 32: value j of the
// part is bits j*b[k] to (j+1)*b[k]-1, where bit i of a part is bit i mod 32 of its word
// floor(i/32). In a short block a part of m values takes ceil(m*b/32) words; bits after
// the last value are zero, and parts without values have width 0.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the widths
// are valid and give the length of the block, that unused bits are zero, and that docIDs
// strictly increase and end on the docID in the skip header. It does not check that
// widths are minimal.
package bp32
