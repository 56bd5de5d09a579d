// Package bp256 is GPU-BP256 of Mallia, Siedlaczek, Suel and Zahran 2019, section
// 3.1: bp128 with blocks of 256 values, which has half as many endpoints and wider
// gaps to pay for.
//
// docIDs are stored as d-gaps less one, relative to the docID before the block in
// the skip header; frequencies less one. Bits lie in the four-lane interleaved
// layout of package bitpack, over up to 64 rows where that has 32.
//
//	list     ┌─────────┬─────────┬───┬─────────┐
//	         │ block 0 │ block 1 │...│ block m │     no list header: Ends[0] = 0
//	         └─────────┴─────────┴───┴─────────┘
//
//	block    ┌──────────┬──────────┬───┬────────────┐
//	         │ vector 0 │ vector 1 │...│ vector v-1 │  16 bytes each
//	         └──────────┴──────────┴───┴────────────┘
//
// A block of n values has rows = ceil(n/4) and is v = (Ends[i+1]-Ends[i])/4 vectors
// long; its width is 0 if v is 0, else min(32, floor(32v/rows)), which for a full
// block is v/2. 32 rows take width vectors, so values from 128 on begin at vector
// number width. The encoder takes the fewest vectors that hold the largest value,
// so a short last block may be wider than its values need. A decoder checks that
//
//   - v is whole and the fewest vectors that rows of that width take,
//   - values missing from the last row, and bits past the last row, are zero,
//   - docIDs rise strictly and end on the docID in the skip header.
//
// Limits: docIDs up to 2^31-1, frequencies 1 to 2^32-1. Both codecs of an extent
// have blocks of 256 if one has.
package bp256
