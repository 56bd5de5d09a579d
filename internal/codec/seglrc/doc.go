// Package seglrc implements segmented linear-regression compression (Ao 2011, section
// 4.2, SegLRC): each block of 128 docIDs has a regression line of its own, and each docID
// is stored as its vertical deviation from the line. There are no gaps, so blocks are
// decoded without a prefix sum.
//
//	list     ┌─────────┬─────────┬───┬─────────┐
//	         │ block 0 │ block 1 │...│ block m │     no list header: Ends[0] = 0
//	         └─────────┴─────────┴───┴─────────┘
//
// A block is a segment of package regress, with an extra field c of 5 bits, a signed
// number in two's complement. With prev the docID before the block in the skip header,
// last its last docID, n the number of docIDs and X = last - prev - 1, the line of the
// block over elements j = 0..n-1 is
//
//	s    = floor(128 X / n)              docIDs an element, 7 fractional bits
//	t    = s + c*floor(s / 64)           the slope
//	f(j) = prev + 1 + M + floor(t*j / 128)
//
// and docID j is f(j) + lambda[j]. The skip header thus gives the slope of the chord,
// without a division for full blocks, and c turns it towards the least-squares slope;
// among the slopes near that, the encoder uses the one with the smallest range of
// deviations. Storing a slope of 32 bits per block would be closer to the paper but takes
// 2 to 4% more space.
//
// A block of consecutive docIDs has no words: docID j is prev + 1 + j, and last must be
// prev + n. Frequencies are not linear; they are stored as in newpfd.
//
// Limits: docIDs up to 2^31-1. A decoder checks that the block has the length given by
// its head, that docIDs increase, and that the last one equals that of the skip header.
package seglrc
