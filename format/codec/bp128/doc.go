// Package bp128 is GPU-BP128 of Mallia, Siedlaczek, Suel and Zahran 2019, section
// 3.1: blocks of 128 values, each packed with as many bits as its largest value
// needs. No width is stored: it follows from the block's endpoints.
//
// docIDs are stored as d-gaps less one, relative to the docID before the block in
// the skip header; frequencies less one. Bits lie in the four-lane interleaved
// layout of package bitpack, where the paper has them in sequence.
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
// A block of n values has rows = ceil(n/4) and is v = (Ends[i+1]-Ends[i])/4 vectors
// long; its width is 0 if v is 0, else min(32, floor(32v/rows)), which for a full
// block is v. The encoder takes the fewest vectors that hold the largest value, so
// a short last block may be wider than its values need. A decoder checks that
//
//   - v is whole, at most 32, and the fewest vectors that rows of that width take,
//   - values missing from the last row, and bits past the last row, are zero,
//   - docIDs rise strictly and end on the docID in the skip header.
package bp128
