// Package unary is what the codecs with unary parts (ef, rice) share: a string of unary
// numbers as a bit array, read by finding its set bits.
//
// Number q is q zero bits followed by a one, least significant bit first, bit i
// being bit i mod 32 of little-endian word i/32. With p[i] the position of the
// i-th one, p[i]-i is the sum of the first i+1 numbers and p[i]-p[i-1]-1 is number
// i, so a prefix sum of popcounts takes the place of a serial scan (Ding 2009,
// section 6; Liu 2018, section 3.1.1). Both papers end numbers on zeros of an
// inverted array; with ones, popcounts need no inversion.
//
//	numbers 0 3 1     bits  1 | 0 0 0 1 | 0 1     p = 0, 4, 6
//
// No block has more than MaxWords words of them, one for each lane of a warp.
package unary
