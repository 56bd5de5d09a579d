// Package bp256 implements GPU-BP256 of Mallia, Siedlaczek, Suel and Zahran 2019, section
// 3.1: bp128 with blocks of 256 values, which needs half as many endpoints but more bits
// per gap.
//
// DocIDs are stored as d-gaps minus one, starting from the docID before the block in the
// skip header; frequencies are stored minus one. Bits are in the four-lane interleaved
// layout of package bitpack, extended to 64 rows.
//
//	list     ┌─────────┬─────────┬───┬─────────┐
//	         │ block 0 │ block 1 │...│ block m │     no list header: Ends[0] = 0
//	         └─────────┴─────────┴───┴─────────┘
//
//	block    ┌──────────┬──────────┬───┬────────────┐
//	         │ vector 0 │ vector 1 │...│ vector v-1 │  16 bytes each
//	         └──────────┴──────────┴───┴────────────┘
//
// A block of n values has rows = ceil(n/4) and a length of v = (Ends[i+1]-Ends[i])/4
// vectors; its width is 0 if v is 0, and otherwise min(32, floor(32v/rows)), which is v/2
// for a full block. 32 rows take width vectors, so value 128 starts at vector number
// width. The encoder uses the minimum number of vectors for the largest value, so a short
// last block may be wider than its values need. A decoder checks that
//
//   - v is an integer and the minimum number of vectors for rows of that width,
//   - values missing from the last row, and bits after the last row, are zero,
//   - docIDs strictly increase and end on the docID in the skip header.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. If one sequence of an extent has
// blocks of 256, so must the other.
package bp256
