// Package hslrc implements linear-regression compression over hash segments (Ao 2011,
// sections 3.4 and 4.3, HS256_LRC): docIDs are divided into buckets by their high bits,
// about 256 per bucket, and each bucket has a regression line of its own. A docID is
// stored as its deviation from the line of its bucket, so blocks are decoded without a
// prefix sum.
//
//	word     0           4              4B-4            4B        4B+1
//	         ┌──────────┬──────────┬───┬───────────────┬─────────┬─────────┬───┐
//	list     │ bucket 0 │ bucket 1 │...│ bucket B - 1  │ shift   │ block 0 │...│
//	         └──────────┴──────────┴───┴───────────────┴─────────┴─────────┴───┘
//	byte     0       4           8       16                       Ends[0] = 4B+1
//	         ┌───────┬───────────┬───────┐
//	bucket   │ start │ intercept │ slope │
//	         └───────┴───────────┴───────┘
//
// DocID x is in bucket x >> shift. B = 2^m and shift = k-m, where k is the number of bits
// of the last docID and m the smallest number such that n/256 is at most 2^m, but at most
// k. start is the number of docIDs in the preceding buckets, so the bucket's elements are
// those from start up to the next start. slope and intercept are the least-squares line
// of its docIDs, a Line of package regress whose element 0 is element start of the list.
// An empty bucket has a line of zeros.
//
// Blocks have 128 docIDs, independently of the buckets. Each block is a segment of
// package regress without an extra field; the origin of an element is the first element
// of the block or of the bucket, whichever is later. The buckets of a block are between
// those of prev + 1 and last of the skip header.
//
// Ends[0] is 4B+1, the length of the list header; in an empty list it is 0. Frequencies
// are not linear; they are stored as newpfd stores them, with Ends[0] = 0.
//
// Limits: docIDs up to 2^31-1. A decoder checks that the number of buckets follows from
// n, that the block has the length given by its head, that docIDs increase, and that the
// last one equals that of the skip header.
package hslrc
