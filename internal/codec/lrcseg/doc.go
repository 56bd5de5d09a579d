// Package lrcseg implements linear-regression compression with one line per list and a
// range of deviations per segment (Ao 2011, section 4.2, LRCSeg). Each docID is stored as
// its vertical deviation from the line, so blocks are decoded without a prefix sum.
//
//	word     0         2           3
//	         ┌─────────┬───────────┬─────────┬───┬─────────┐
//	list     │ slope   │ intercept │ block 0 │...│ block m │     Ends[0] = 3
//	         └─────────┴───────────┴─────────┴───┴─────────┘
//
// slope (8 bytes) and intercept are the least-squares line of all docIDs, a line of
// package regress. Every block is a segment of package regress without an extra field,
// whose origin is its first element: with k = 128*block, docID k+j is
// f(k+j) + M + lambda[j].
//
// Ends[0] is 3, the length of the list header; in an empty list it is 0. Frequencies are
// not linear; they are stored as in newpfd, with Ends[0] = 0.
//
// Limits: docIDs up to 2^31-1. A decoder checks that the block has the length given by
// its head, that docIDs increase, and that the last one equals that of the skip header.
package lrcseg
