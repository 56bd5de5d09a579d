// Package bp128 implements GPU-BP128 of Mallia, Siedlaczek, Suel and Zahran 2019, section
// 3.1: blocks of 128 values, packed with the number of bits of the block's largest value.
// The width is not stored: it follows from the block's endpoints.
//
// DocIDs are stored as d-gaps minus one, starting from the docID before the block in the
// skip header; frequencies are stored minus one. Bits are in the four-lane interleaved
// layout of package bitpack, whereas the paper packs them sequentially.
//
//	list     ┌─────────┬─────────┬───┬─────────┐
//	         │ block 0 │ block 1 │...│ block m │     no list header: Ends[0] = 0
//	         └─────────┴─────────┴───┴─────────┘
//	word     Ends[0]   Ends[1]       Ends[m]   Ends[m+1]
//
//	block    ┌──────────┬──────────┬───┬────────────┐
//	         │ vector 0 │ vector 1 │...│ vector v-1 │  16 bytes each
//	         └──────────┴──────────┴───┴────────────┘
//
// A block of n values has rows = ceil(n/4) and a length of v = (Ends[i+1]-Ends[i])/4
// vectors; its width is 0 if v is 0, and otherwise min(32, floor(32v/rows)), which is v
// for a full block. The encoder uses the minimum number of vectors for the largest value,
// so a short last block may be wider than its values need. A decoder checks that
//
//   - v is an integer, at most 32, and the minimum number of vectors for rows of that width,
//   - values missing from the last row, and bits after the last row, are zero,
//   - docIDs strictly increase and end on the docID in the skip header.
package bp128
