// Package ef is partitioned Elias-Fano (Liu 2018, section 3.1.1, after Elias and
// Fano, and Ottaviano and Venturini 2014): blocks of 128 values, each a partition
// of its own.
//
// With prev the docID before the block in the skip header, the i-th docID is stored
// as x[i] = docID - prev - 1 - i, which never falls; its largest value is
// X = last - prev - n. The i-th frequency is stored as x[i] = sum of the
// frequencies up to the i-th, less i+1; X is the sum over the block. The low w bits
// of every x lie side by side; x >> w, which never falls either, is the unary part
// of package unary: bit (x[i] >> w) + i is set.
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
// A block with X = 0 (consecutive docIDs, or frequencies of 1) takes no words. The
// width of a block of docIDs is not stored, since it follows from n and X. For 128
// docIDs it is max(0, bits(X) - 8), the width that the paper gives, floor(log2(X/n)),
// and the one that makes the block smallest. For fewer it is the largest width that v
// vectors hold, up to 32, where v is the number from 0 to 32 that makes the block
// smallest (the least of those that tie). The width of a block of frequencies is chosen
// in the same way and stored, because X is not. The unary part is at most 32 words, so a
// warp has one word a lane.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. A decoder checks that the
// block is as long as n and X, or w, say, that the unary part has exactly n ones,
// that docIDs rise, and that the last one is that of the skip header.
package ef
