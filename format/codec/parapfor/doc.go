// Package parapfor is Parallel PFor (Ao 2011, section 4.1 and appendix G): PFor
// whose exceptions have their indices stored, in place of a linked list, so that
// one thread for each recovers them.
//
// A segment is a block of 128 values g[0..n-1], each a d-gap less one relative to
// the docID before it, or a frequency less one. Its low bits, the indices and the
// overflows of its exceptions lie in slots of b, ib and hb bits:
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
// in order. ib is the number of bits of the largest index of an exception and hb that of
// the largest value, less b. An overflow is value >> b, not less
// one. A block of no words holds nothing but zeros.
//
// The paper lays slots out one after the other and takes the least b that leaves at most a
// given part of the values as exceptions; here low bits are interleaved, and b is the one
// that makes the block smallest.
//
// For example, the frequencies 2 1 2 1 1 1 1 14 1 2 take two words:
//
//	00 04 04 04   b 0, ib 4, hb 4, en 4
//	20 97 11 1d   indices 0, 2, 7, 9, overflows 1, 1, 13, 1
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the
// block is exactly as long as its header says, that indices ascend and stay within
// the block, and that the last docID is that of the skip header.
package parapfor
