// Package bitpack packs up to 128 values of 0 to 32 bits in the four-lane interleaved
// layout of SIMD-BP128 (Lemire and Boytsov 2015), which a GPU warp also unpacks fastest.
//
// Four values make a row: row j contains values 4j to 4j+3, with value i in lane i mod 4.
// A lane is a string of bits that starts with the least significant bit of its first
// word; row j is bits j*width to (j+1)*width-1 of each of the four lanes. Vector w, 16
// bytes, consists of word w of each of the four lanes:
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
// 128 values are 32 rows, so they take exactly width vectors. Fewer values take
// ceil(rows*width/32) vectors; values missing from the last row and bits after the last
// row are zero.
//
// There are three kinds of values, each with its own unpacker: plain values; frequencies,
// stored minus one; and d-gaps, stored minus one, whose running sum gives docIDs.
package bitpack
