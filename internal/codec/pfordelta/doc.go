// Package pfordelta implements PForDelta as described in Ding 2009, section 6: one width
// b per list, and exceptions in two arrays, offsets and overflows, which are compressed
// recursively by the same scheme, zero to four times.
//
// A value v is a d-gap minus one relative to the preceding docID, or a frequency minus
// one. The low b bits of all values are packed. Values of more bits are exceptions, and
// each block of 128 has two arrays for its exceptions: their offsets (the first offset,
// then the distances minus one) and their overflows ((v >> b) - 1). An array is either
// flat, with fields wide enough for the whole list, or coded recursively: fields of a
// width of its own, and two arrays for those of its values that do not fit. With level 0
// both arrays are flat; with level r they are coded, and the arrays of their exceptions
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
// The header describes the arrays in the order in which a block has them: the values
// themselves, their offsets, the offsets' offsets and so on. It has two bytes for each:
// the width of its fields, 0 to 32, and the width of its count, 0 to 8 (0 for a flat
// array). There are 2^(level+2) - 1 arrays. Bit fields are those of package patch. A
// block without exceptions ends after its low bits.
//
// All widths are per list, so that a thread finds the low bits of any value, and of any
// value of an array, without reading others; only the counts vary between blocks, three
// of them with level 1. The paper stores each of the two arrays of a list in one piece
// and finds the exceptions of a block by their number. Here each block has its own arrays
// and can be decoded on its own with sequential reads, at the cost of the counts and of
// up to 31 bits per block.
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
// An encoder may use any widths. This one tries those next to an estimate and uses those
// that need the fewest bits, where each exception of docIDs counts as one and a half
// additional bits for the time to decode it.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the block
// has exactly the length given by its contents, that offsets are within the block, and
// that the last docID equals that of the skip header.
package pfordelta
