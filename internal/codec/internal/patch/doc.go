// Package patch holds what the patched codecs (newpfd, parapfor, pfordelta and those of
// the linear-regression family) share: bit fields in a string of 32-bit words, the
// choice of the width that makes a block smallest, exceptions, and the blocks of newpfd
// and parapfor.
//
// A patched block stores the low b bits of every value side by side (package
// bitpack). Values that need more than b bits are exceptions: two small arrays hold their
// positions in the block and what overflows the b bits (Ding 2009, section 6; NewPFD in
// Ao 2011, section 4.1).
//
// # Bit fields
//
// Field f of w bits at bit p of a string of little-endian words takes bits p to
// p+w-1, bit i being bit i mod 32 of word i/32. A field of at most 32 bits
// therefore lies in at most two words, and a GPU thread finds any field of an
// array of equal fields with one funnel shift.
//
// # Exceptions
//
// n exceptions with overflows of w bits take two arrays, one after the other:
//
//	           n <= 16                        n > 16
//	         ┌───────────────────────┐      ┌────────────────────────┐
//	positions│ n fields of 7 bits,   │      │ 128 bits, bit i set if │
//	         │ strictly ascending    │      │ value i is an exception│
//	         ├───────────────────────┤      ├────────────────────────┤
//	overflows│ n fields of w bits    │      │ n fields of w bits     │
//	         └───────────────────────┘      └────────────────────────┘
//
// A field of overflows holds (value >> b) - 1, since an exception has at least
// one bit above the low b. Codec parapfor always lists positions and stores value >> b.
// Above 18 exceptions a bitmap is smaller than a list of positions and does not grow
// further, and two words hold 16 positions. Either way the j-th exception is found
// without reading those before it (by popcounts in a bitmap).
package patch
