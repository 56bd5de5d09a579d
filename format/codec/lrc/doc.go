// Package lrc is linear-regression compression (Ao 2011, section 4.2): one line and
// one range of deviations for the list. docID k is f(k) + lambda[k], with all lambda
// in fields of one width.
//
//	word     0         2           3       4
//	         ┌─────────┬───────────┬───────┬─────────┬───┬─────────┐
//	list     │ slope   │ intercept │ b     │ block 0 │...│ block m │     Ends[0] = 4
//	         └─────────┴───────────┴───────┴─────────┴───┴─────────┘
//
//	block    ┌─────────────────────────────────────────────────────┐
//	low bits │ vectors of package bitpack, width b, 16 bytes each  │
//	         ├───────┬──────┬───────────┬───────────┬──────────────┤
//	         │ count │ over │ positions │ overflows │ 0...         │  only where there
//	         └───────┴──────┴───────────┴───────────┴──────────────┘  are exceptions
//	bit      0       7      12
//
// slope (8 bytes) and intercept are the least-squares line of all docIDs, a line of
// package regress, lowered by the greatest deviation below it (the paper's M) so that
// every lambda is non-negative. The origin of the elements of a block is its first. b,
// 0 to 32, is the width that makes the list smallest; lambda that need more bits are
// exceptions as package patch lays them out. A block without exceptions ends with its
// low bits: its length, which the endpoints give, tells. Exceptions gain next to nothing
// on a random list (Ao 2011, section 5.1.2).
//
// Ends[0] is 4, the words of the list header; in a list of no docIDs it is 0. Frequencies
// are not linear; they are stored as newpfd stores them, with Ends[0] = 0.
//
// Limits: docIDs up to 2^31-1. A decoder checks that the block is as long as its
// contents say, that docIDs rise and that the last one is that of the skip header.
package lrc
