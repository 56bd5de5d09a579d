// Package pfordelta is PForDelta as Ding 2009, section 6, describes it: one width b for the
// whole list, and exceptions in two arrays, offsets and overflows, which are compressed
// again by the same scheme, zero to four times.
//
// v is a d-gap less one relative to the docID before, or a frequency less one. The
// low b bits of every v lie side by side. Where v needs more it is an exception, and
// each block of 128 has two arrays for its exceptions: their offsets (the first, then
// the distances less one) and their overflows ((v >> b) - 1). An array is either flat,
// all its fields as wide as the list needs, or coded in turn: fields of a width of
// its own, and two arrays for those of its values that do not fit. With level 0 both
// arrays are flat; with level r they are coded, and the arrays of their exceptions
// have level r-1. Level 1 is the default, as in the paper.
//
//	word     0                            H
//	         ┌────────┬──────────────────┬─────────┬───┬─────────┐
//	list     │ level  │ arrays           │ block 0 │...│ block m │     Ends[0] = H
//	         └────────┴──────────────────┴─────────┴───┴─────────┘
//	byte     0        1  2 bytes each, 0... to a whole word
//
//	block    ┌────────────────────────────────────────────────────┐
//	low bits │ vectors of package bitpack, width b, 16 bytes each │
//	         ├───────┬─────────────────┬───────────────────┬──────┤
//	         │ count │ array offsets   │ array overflows   │ 0... │  only where there
//	         └───────┴─────────────────┴───────────────────┴──────┘  are exceptions
//
//	array of │ n fields of its width   │ count │ array offsets │ array overflows │
//	n values   all there is of a flat  └─ of its exceptions; the arrays only if
//	           array or one without       count is not 0
//	           values
//
// The arrays of the header are in the order in which a block has them: the values
// themselves, their offsets, the offsets' offsets and so on, each two bytes: the
// width of its fields, 0 to 32, and the width of its count, 0 to 8 (0 in a flat
// array). There are 2^(level+2) - 1 of them. Bit fields are those of package patch.
// A block without exceptions ends with its low bits.
//
// All widths are the list's, so that a thread finds the low bits of any value, and of
// any value of an array, without reading others; only the counts vary from block to
// block, three of them with level 1. The paper keeps each of the two arrays of a list in
// one piece and finds the exceptions of a block by their number; here each block has its
// own, and decodes alone with one run of reads, at the price of the counts and of up to
// 31 bits a block.
//
// For example, the frequencies 2 1 2 1 1 1 1 14 1 2 take nine words at level 1:
//
//	01 01 01 03   level 1; values: width 1, count of 1 bit; offsets: width 3,
//	00 00 00 00   no count; no arrays below
//	00 03 00 00   overflows: width 3, no count; no arrays below
//	00 00 00 00
//	01 00 00 00   low bits of values 0, 4, 8
//	04 00 00 00   of values 1, 5, 9
//	01 00 00 00   of values 2, 6
//	02 00 00 00   of values 3, 7
//	5f 00 00 00   count 1, offset 7, overflow 5: value 7 is (5+1)<<1 + 1 = 13
//
// An encoder may take any widths. This one tries those next to an estimate and takes what
// needs the fewest bits, each exception of docIDs counting for one and a half bits more,
// since it takes time to decode.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the
// block is exactly as long as its contents say, that offsets stay within the block,
// and that the last docID is that of the skip header.
package pfordelta
