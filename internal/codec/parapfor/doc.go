// Package parapfor implements Parallel PFor (Ao 2011, section 4.1 and appendix G): PFor
// that stores the indices of exceptions instead of a linked list, so that one thread per
// exception can recover them.
//
// A segment is a block of 128 values g[0..n-1], each a d-gap minus one relative to the
// docID before it, or a frequency minus one. Low bits, indices of exceptions and their
// overflows are in slots of b, ib and hb bits:
//
//	list     ┌─────────┬─────────┬───┬─────────┐
//	         │ block 0 │ block 1 │...│ block m │     no list header: Ends[0] = 0
//	         └─────────┴─────────┴───┴─────────┘
//
//	block    byte 0   1    2    3    4
//	         ┌──────┬────┬────┬────┐
//	header   │ b    │ ib │ hb │ en │
//	         ├──────┴────┴────┴────┴──────────────────────────────┐
//	low bits │ vectors of package bitpack, width b, 16 bytes each │
//	         ├──────────────────────────┬─────────────────────────┤
//	         │ en indices of ib bits    │ en overflows of hb bits │ 0... to a whole word
//	         └──────────────────────────┴─────────────────────────┘
//
// Bit fields are those of package patch. Exceptions are the values of more than b bits,
// in order. ib is the number of bits of the largest index of an exception, and hb that of
// the largest value minus b. An overflow is value >> b (not minus one). In a block
// without words all values are zero.
//
// The paper stores slots sequentially and uses the smallest b with at most a given share
// of exceptions; here low bits are interleaved, and b is chosen to give the smallest
// block.
//
// For example, the frequencies 2 1 2 1 1 1 1 14 1 2 take two words:
//
//	00 04 04 04   b 0, ib 4, hb 4, en 4
//	20 97 11 1d   indices 0, 2, 7, 9, overflows 1, 1, 13, 1
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the block
// has exactly the length given by its header, that indices ascend and are within the
// block, and that the last docID equals that of the skip header.
package parapfor
