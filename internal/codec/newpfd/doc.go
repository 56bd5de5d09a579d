// Package newpfd implements NewPFD (Yan, Ding and Suel 2009; Ding 2009, sections 2 and 6;
// Ao 2011, section 4.1): blocks of 128 values, each with a width b of its own. The low b
// bits of all values are packed; values of more bits are exceptions, whose positions and
// overflows, the bits above, are stored in two small arrays. b is chosen to give the
// smallest block, as in OptPFD.
//
// DocIDs are stored as d-gaps minus one, starting from the docID before the block in
// the skip header; frequencies are stored minus one.
//
//	list     ┌─────────┬─────────┬───┬─────────┐
//	         │ block 0 │ block 1 │...│ block m │     no list header: Ends[0] = 0
//	         └─────────┴─────────┴───┴─────────┘
//
//	block    bit 0    6       13     18
//	         ┌───────┬───────┬──────┬───────────┬───────────┬─────┐
//	head     │ b     │ count │ over │ positions │ overflows │ 0...│  to a whole word
//	         ├───────┴───────┴──────┴───────────┴───────────┴─────┤
//	low bits │ vectors of package bitpack, width b, 16 bytes each │
//	         └────────────────────────────────────────────────────┘
//
// b is 0 to 32; count, 0 to 127, is the number of exceptions; over, 0 to 31, is the
// number of bits of an overflow. Positions and overflows are in the layout of package
// patch. The low bits therefore start at word
//
//	ceil((18 + (count > 16 ? 128 : 7*count) + over*count) / 32)
//
// of the block, so the first word of a block determines its layout. In a block without
// words all values are zero: consecutive docIDs, or frequencies of 1.
//
// For example, the frequencies 2 1 2 1 1 1 1 14 1 2 take two words:
//
//	00 81 00 04   b 0, count 4, over 4, positions 0 and 2
//	87 04 00 03   positions 7 and 9, overflows 0, 0, 12, 0
//
// The papers code the two arrays with Simple16, which must be decoded word by word.
// Fields of one width can be read in parallel, on GPUs and CPUs. They take more bits,
// which the bitmap of positions and the choice of b more than compensate: the docIDs of
// the 8,255 lists of the project's test collection (12.2 million postings) take 9.8 MB,
// with bp128 12.7 MB.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the block
// has exactly the length given by its head, that positions ascend and are within the
// block, and that the last docID equals that of the skip header.
package newpfd
