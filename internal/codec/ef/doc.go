// Package ef implements partitioned Elias-Fano (Liu 2018, section 3.1.1, after Elias and
// Fano, and Ottaviano and Venturini 2014): each block of 128 values is a partition.
//
// With prev the docID before the block in the skip header, docID i is stored as x[i] =
// docID - prev - 1 - i, which never decreases; its largest value is X = last - prev - n.
// Frequency i is stored as x[i] = (sum of frequencies 0 to i) - (i+1); X is the last one.
// The low w bits of all x are packed; x >> w, which never decreases either, is stored as
// the unary part of package unary: bit (x[i] >> w) + i is set.
//
//	list     ┌─────────┬─────────┬───┬─────────┐
//	         │ block 0 │ block 1 │...│ block m │     no list header: Ends[0] = 0
//	         └─────────┴─────────┴───┴─────────┘
//
//	block    ┌──────────────────────────────────────────────────────┐
//	unary    │ docIDs:      n + (X >> w) bits             │ 0...    │ to a whole word
//	         │ frequencies: 6 bits w, n + (X >> w) bits   │ 0...    │
//	         ├──────────────────────────────────────────────────────┤
//	low bits │ vectors of package bitpack, width w, 16 bytes each   │
//	         └──────────────────────────────────────────────────────┘
//
// A block with X = 0 (consecutive docIDs, or frequencies of 1) has no words. The width of
// a block of docIDs is not stored, since it follows from n and X. For 128 docIDs it is
// max(0, bits(X) - 8), which is the paper's floor(log2(X/n)) and gives the smallest
// block. For fewer it is the largest width, up to 32, that fits v vectors, where v, 0 to
// 32, is the number that gives the smallest block (the smallest such number). The width
// of a block of frequencies is chosen in the same way and stored, because X is not. The
// unary part has at most 32 words, one per lane of a warp.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the block
// has the length given by n and X, or w, that the unary part has exactly n ones, that
// docIDs increase, and that the last one equals that of the skip header.
package ef
