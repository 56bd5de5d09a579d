// Package bitpack packs up to 128 values of 0 to 32 bits in the four-lane
// interleaved layout of SIMD-BP128 (Lemire and Boytsov 2015), which is also the
// one that a GPU warp unpacks fastest.
//
// Four values make a row: row j holds values 4j to 4j+3, value i in lane i mod 4.
// A lane is a string of bits that begins in the least significant bit of its
// first word; row j takes bits j*width up to (j+1)*width of each of the four
// lanes. Word w of the four lanes lies side by side, as one vector of 16 bytes:
//
//	byte      0        4        8        12       16       20
//	         ┌────────┬────────┬────────┬────────┬────────┬────────┬──
//	word     │ lane 0 │ lane 1 │ lane 2 │ lane 3 │ lane 0 │ lane 1 │ ...
//	         └────────┴────────┴────────┴────────┴────────┴────────┴──
//	          vector 0                            vector 1
//
//	lane 0, width 5:  bit 0    5    10   15   20   25   30  (word 1) 3 ...
//	                      v0   v4   v8   v12  v16  v20  v24          v28
//
// 128 values are 32 rows, so they take exactly width vectors. Fewer take
// ceil(rows*width/32) vectors; values missing from the last row and bits past the
// last row are zero.
//
// The three kinds of value: plain ones; frequencies, stored less one; and d-gaps,
// stored less one, whose running sum gives docIDs. Each has a fused unpacker.
package bitpack
