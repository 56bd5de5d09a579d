// Package rice implements Rice coding with separate unary and binary parts (Ding 2009,
// section 6; the split after Yan, Ding and Suel 2009). A block is decoded with two
// prefix sums, one over the ones of a bit array and one over numbers of b bits.
//
// With v a d-gap minus one relative to the preceding docID, or a frequency minus one, the
// unary part contains the quotients v >> b in the layout of package unary, and the binary
// part the low b bits:
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
// paper divides the two arrays of a list into blocks of 128 bits and of 128 numbers and
// stores the sum before each; here both parts of 128 values are stored together and the
// only sum, prev, is in the skip header. Each block has its own b, 0 to 31, which gives
// the smallest block (among m-2 to m in a full block, where m is the number of bits of
// the mean; among all in a short block; the smallest such b). The unary part has at most
// 32 words, one per lane of a warp. In a block without words every v is zero.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the unary
// part has exactly n ones, and that the last docID equals that of the skip header.
package rice
