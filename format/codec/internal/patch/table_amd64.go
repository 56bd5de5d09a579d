//go:build !purego

package patch

import (
	"unsafe"

	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/internal/simd"
)

// The AVX-512 unpackers take a block in eight steps of four rows, one row in each
// 128-bit lane. A value of width b whose row begins s bits into vector w is
// (w >> s | (w+1) << (32-s)) & (1<<b - 1), a shift by 32 giving 0. The table has for
// every width what differs between widths:
//
//	bytes 0..31      8 words: byte offset of the first vector of each step
//	bytes 32..63     word: 1<<b - 1; zeros
//	then 8 times     64 bytes: permutation of quadwords that brings vector w of each
//	                 row into its lane, of the four from the first on; 64 bytes:
//	                 s of every word; 64 bytes: 32-s of every word
//
// It is aligned to cache lines, which read-only data of an assembly file is not.
const tableWidthSize = 64 + 8*3*64

var table = newTable()

// Table returns the tables of all widths, for the block functions of the codecs; it is
// nil where the CPU lacks AVX-512.
func Table() *byte { return unsafe.SliceData(table) }

func newTable() []byte {
	if simd.Best() < simd.AVX512 {
		return nil
	}
	t := make([]uint32, (bitpack.MaxWidth+1)*tableWidthSize/4+16)
	t = t[-uintptr(unsafe.Pointer(&t[0]))%64/4:]
	for b := range bitpack.MaxWidth + 1 {
		w := t[b*tableWidthSize/4:]
		w[8] = uint32(1<<b - 1)
		for k := range 8 {
			first := 4 * k * b / 32
			w[k] = uint32(first * bitpack.VectorSize)
			index := w[16+48*k:]
			for i := range 16 {
				bit := (4*k + i/4) * b
				if i%2 == 0 {
					index[i] = uint32(2*(bit/32-first) + i/2%2)
				}
				index[16+i] = uint32(bit % 32)
				index[32+i] = uint32(32 - bit%32)
			}
		}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&t[0])), (bitpack.MaxWidth+1)*tableWidthSize)
}
