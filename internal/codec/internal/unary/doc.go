// Package unary implements the unary parts of codecs ef and rice: strings of unary
// numbers as bit arrays, which are read by finding the set bits.
//
// Number q is q zero bits followed by a one, least significant bit first, where bit i is
// bit i mod 32 of little-endian word i/32. With p[i] the position of the i-th one, p[i]-i
// is the sum of the first i+1 numbers and p[i]-p[i-1]-1 is number i, so a prefix sum of
// popcounts replaces a serial scan (Ding 2009, section 6; Liu 2018, section 3.1.1). Both
// papers end numbers with zeros; with ones, popcounts need no inversion.
//
//	numbers 0 3 1     bits  1 | 0 0 0 1 | 0 1     p = 0, 4, 6
//
// The unary part of a block has at most MaxWords words, one per lane of a warp.
package unary
