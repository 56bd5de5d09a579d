// Package rice is Rice coding with its unary and binary parts apart (Ding 2009,
// section 6; the split after Yan, Ding and Suel 2009), so that a block is decoded
// with two prefix sums, one over the ones of a bit array and one over numbers of b
// bits.
//
// With v a d-gap less one relative to the docID before, or a frequency less one, the
// unary part holds the quotients v >> b as package unary lays them out, and the
// binary part the low b bits:
//
//	list     ┌─────────┬─────────┬───┬─────────┐
//	         │ block 0 │ block 1 │...│ block m │     no list header: Ends[0] = 0
//	         └─────────┴─────────┴───┴─────────┘
//
//	block    bit 0    5
//	         ┌───────┬────────────────────────────────────┬─────┐
//	unary    │ b     │ n + (sum of v >> b) bits           │ 0...│  to a whole word
//	         ├───────┴────────────────────────────────────┴─────┤
//	binary   │ vectors of package bitpack, width b, 16 bytes each│
//	         └───────────────────────────────────────────────────┘
//
// With p[i] the position of the i-th one of the unary part, r the binary part, and
// prev the docID before the block,
//
//	docID i     = prev + 1 + i + ((p[i] - i) << b) + r[0] + ... + r[i]
//	frequency i = ((p[i] - p[i-1] - 1) << b) + r[i] + 1        with p[-1] = -1
//
// The length of the binary part follows from n and b, so a block needs no offsets. The
// paper cuts the two arrays of a list into blocks of 128 bits and of 128 numbers and
// stores the sum before each; here both parts of 128 values stand together and the skip
// header holds the one sum that is left, prev. Each block has a b of its own, 0 to 31:
// the one that makes the block smallest (among m-2 to m in a full block, where m is the
// number of bits of the mean; among all in a short one; the least of those that tie). The
// unary part is at most 32 words, so a warp has one word a lane. In a block of no words
// every v is zero.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the
// unary part has exactly n ones, and that the last docID is that of the skip header.
package rice
