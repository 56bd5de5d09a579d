// Package bp32 is binary packing with blocks of 32 values (Mallia 2019, section 2,
// after Anh and Moffat 2010 and Lemire and Boytsov 2015): 32 values take as many
// bits each as the largest of them, and the widths of four such parts stand in one
// word before them. Four parts are a block of 128.
//
// docIDs are stored as d-gaps less one, relative to the docID before the block in
// the skip header; frequencies less one.
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
// Part k holds values 32*k to 32*k+31, one after another in b[k] bits each, 0 to
// 32: value j of the part in bits j*b[k] up to (j+1)*b[k], bit i of a part being bit
// i mod 32 of its word floor(i/32). In a short block a part of m values takes
// ceil(m*b/32) words, whose bits past the last value are zero, and parts without a
// value have width 0.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks the
// widths, that the block is as long as they say, that what has no value is zero,
// and that docIDs rise strictly and end on the docID in the skip header. It does
// not ask that widths are the least.
package bp32
