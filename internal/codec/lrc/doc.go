// Package lrc implements linear-regression compression (Ao 2011, section 4.2) with one
// line and one range of deviations per list. DocID k is f(k) + lambda[k], with all lambda
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
// package regress, lowered by the greatest deviation below it (the paper's M) so that no
// lambda is negative. The origin of a block is its first element. b, 0 to 32, is the
// width that gives the smallest list; lambda of more bits are exceptions in the layout of
// package patch. A block without exceptions ends after its low bits, as its endpoints
// tell. Exceptions save almost nothing on random lists (Ao 2011, section 5.1.2).
//
// Ends[0] is 4, the length of the list header; in an empty list it is 0. Frequencies are
// not linear; they are stored as in newpfd, with Ends[0] = 0.
//
// Limits: docIDs up to 2^31-1. A decoder checks that the block has the length given by
// its contents, that docIDs increase, and that the last one equals that of the skip
// header.
package lrc
