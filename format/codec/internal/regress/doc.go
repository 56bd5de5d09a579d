// Package regress holds what the linear-regression codecs (lrc, lrcseg, seglrc,
// hslrc; Ao 2011, sections 4.2 and 4.3) share: lines in integer fixed point, their
// fitting, and segments of normalised vertical deviations.
//
// The codecs store docID i of a list as its vertical deviation from a line f:
// docID = f(i) + M + lambda, where M, the least deviation of the segment, makes
// all lambda non-negative. There are no gaps to sum: an element needs its own lambda
// alone.
//
// # Lines
//
// A line has a slope, unsigned with 32 fractional bits, and an intercept. Its
// value at element k = o + j, where o is an origin and j is below 128, is by
// definition, with P = slope*o mod 2^64 and all else mod 2^32:
//
//	f(k) = intercept + (P >> 32) + (slope >> 32)*j + ((((P mod 2^32) >> 7) + ((slope mod 2^32) >> 7)*j) >> 25)
//
// It is at most one below the exact line, never above it, and needs a 64-bit product
// for the origin alone. The sum of fractions is below 2^32 for every j below 128.
// The origin is the first element of the block, or of the hash bucket if that
// begins later. Every machine computes the same integer.
//
// # Segments
//
// A segment is a block of n <= 128 elements with a least deviation M of its own:
//
//	block    bit 0    6       13     18   24      24+x
//	         ┌───────┬───────┬──────┬────┬───────┬───┬───────────┬───────────┬─────┐
//	head     │ b     │ count │ over │ mw │ extra │ M │ positions │ overflows │ 0...│  to a whole word
//	         ├───────┴───────┴──────┴────┴───────┴───┴───────────┴───────────┴─────┤
//	low bits │ vectors of package bitpack, width b, 16 bytes each                  │
//	         └─────────────────────────────────────────────────────────────────────┘
//
// The lambda are patched as in package patch: b low bits of each, and count exceptions
// whose overflows have over bits, with a list of positions or a bitmap. An encoder uses
// exceptions only where they save 4 words or more, because a block without any decodes
// twice as fast. mw is the number of bits of M, 0 to 32, and M is zigzag coded: 2M, or
// -2M-1 if M is negative. extra has 5 bits in seglrc and none in the others.
package regress
