// Package bytepack packs values in 1 to 4 bytes each and keeps their lengths apart, in
// 2-bit selectors: the scheme of Stream VByte (Lemire, Kurz and Rupp 2018), which the
// vbyte codecs of Mallia 2019 share.
//
//	selectors  byte j/4, bits 2*(j%4) and 2*(j%4)+1: bytes of value j, less one
//	data       values one after another, little-endian
//
// Selector bits without a value are zero. There are two kinds of values: frequencies,
// stored less one, and d-gaps, stored less one, whose running sum gives docIDs.
//
// With AVX2 a whole row of blocks is decoded at a time (DecodeDocs, DecodeFreqs), and eight
// values are packed. What the row decoder does not accept, because it is broken or rare,
// one Go loop decodes block by block.
package bytepack
