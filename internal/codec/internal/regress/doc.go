// Package regress implements the common parts of the linear-regression codecs (lrc,
// lrcseg, seglrc, hslrc; Ao 2011, sections 4.2 and 4.3): lines in integer fixed point,
// their fitting, and segments of normalised vertical deviations.
//
// The codecs store docID i of a list as its vertical deviation from a line f: docID =
// f(i) + M + lambda, where M is the least deviation of the segment, so that no lambda is
// negative. There are no gaps to sum: to decode an element, only its own lambda is
// needed.
//
// # Lines
//
// A line has a slope, unsigned with 32 fractional bits, and an intercept. Its value at
// element k = o + j, where o is an origin and j is less than 128, is defined as follows,
// with P = slope*o mod 2^64 and all other operations mod 2^32:
//
//	f(k) = intercept + (P >> 32) + (slope >> 32)*j + ((((P mod 2^32) >> 7) + ((slope mod 2^32) >> 7)*j) >> 25)
//
// It is at most one below the exact line, never above it, and needs a 64-bit product only
// for the origin. The sum of fractions is less than 2^32 for every j less than 128. The
// origin is the first element of the block, or of the hash bucket if that starts later.
// The result is the same integer on every machine.
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
// exceptions only if they save at least 4 words, because a block without exceptions
// decodes twice as fast. mw is the number of bits of M, 0 to 32, and M is zigzag coded:
// 2M, or -2M-1 if M is negative. extra has 5 bits in seglrc and none in the other codecs.
package regress
