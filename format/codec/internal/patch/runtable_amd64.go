//go:build !purego

package patch

import (
	"encoding/binary"
	"unsafe"

	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/internal/simd"
)

// The unpackers for VBMI2 take a block in eight steps of four rows, as those for AVX-512 do
// (table_amd64.go), but bring the bytes of a value of at most 24 bits together at once.
// Overflows are fields of at most seven bits, of which eight begin with a whole byte again;
// so do positions. The table has
//
//	[8][64]byte    by width of overflows: bytes that hold eight fields, for each quadword
//	[8][8][8]byte  by that and the bit that the first begins with: shifts of eight fields
//	[8]uint64      by width of overflows: mask of eight fields
//	[8]uint64      by width of positions: mask of one
//	[8][8]uint64   by that: first bits of eight positions
//	[4][64]byte    sixteen of 64 bytes to the words of a vector, by steps
//	[128]byte      their numbers
//	[17][16]uint64 by number of positions: 0 for each, and large numbers that ascend behind
//	[4][16]uint32  of the words of two vectors: the even ones, the odd ones; of such two
//	               vectors: the first in their order, the last
//	[25]           by width of low bits:
//	  bytes 0..31  8 words: byte offset of the first vector of each step
//	  bytes 32..63 word: 1<<b - 1; zeros
//	  then 8 times 64 bytes: permutation of bytes that brings those of each value
//	               together, of the four vectors from the first on; 64 bytes: the bit
//	               that the value begins with, for every word
//
// and is aligned to cache lines.
const (
	runOverMax   = 7
	runWidthMax  = 24
	runWidthSize = 64 + 8*2*64
	runWidths    = 8*64 + 8*8*8 + 2*8*8 + 8*64 + 4*64 + 2*64 + 17*128 + 4*64
)

var runTable = newRunTable()

// RunTable returns the tables of the functions that decode blocks in a row with VBMI2; it is
// nil where the CPU lacks that.
func RunTable() *byte { return unsafe.SliceData(runTable) }

func newRunTable() []byte {
	if simd.Best() < simd.VBMI2 {
		return nil
	}
	size := runWidths + (runWidthMax+1)*runWidthSize
	t := make([]byte, size+64)
	t = t[-uintptr(unsafe.Pointer(&t[0]))%64:][:size]
	word := t[:0:size]
	for over := range 8 {
		for i := range 64 {
			word = append(word, byte(i/8*over+i%8))
		}
	}
	for over := range 8 {
		for first := range 8 {
			for i := range 8 {
				word = append(word, byte(i*over+first))
			}
		}
	}
	for over := range 8 {
		word = binary.LittleEndian.AppendUint64(word, 0x0101010101010101*(1<<over-1))
	}
	for pos := range 8 {
		word = binary.LittleEndian.AppendUint64(word, 1<<pos-1)
	}
	for pos := range 8 {
		for i := range 8 {
			word = binary.LittleEndian.AppendUint64(word, uint64(i*pos))
		}
	}
	for step := range 4 {
		for i := range 64 {
			word = append(word, byte(16*step+i/4))
		}
	}
	for i := range 128 {
		word = append(word, byte(i))
	}
	for count := range 17 {
		for i := range 16 {
			x := uint64(0)
			if i >= count {
				x = uint64(i+1) << 8
			}
			word = binary.LittleEndian.AppendUint64(word, x)
		}
	}
	for _, part := range []func(i int) int{
		func(i int) int { return 2 * i },
		func(i int) int { return 2*i + 1 },
		func(i int) int { return i/2 + i%2*16 },
		func(i int) int { return i/2 + i%2*16 + 8 },
	} {
		for i := range 16 {
			word = binary.LittleEndian.AppendUint32(word, uint32(part(i)))
		}
	}
	for b := range runWidthMax + 1 {
		word = appendRunWidth(word, b)
	}
	return t
}

// appendRunWidth appends the table of low bits of a width.
func appendRunWidth(t []byte, b int) []byte {
	first := func(step int) int { return 4 * step * b / 32 }
	for step := range 8 {
		t = binary.LittleEndian.AppendUint32(t, uint32(first(step)*bitpack.VectorSize))
	}
	t = binary.LittleEndian.AppendUint64(t, 1<<b-1)
	t = append(t, make([]byte, 24)...)
	for step := range 8 {
		for i := range 64 { // byte i%4 of value i/4
			bit := (4*step+i/16)*b - 32*first(step) + i%4*8
			t = append(t, byte(bit/32*bitpack.VectorSize+i/4%4*4+bit/8%4))
		}
		for i := range 16 {
			t = binary.LittleEndian.AppendUint32(t, uint32((4*step+i/4)*b%8))
		}
	}
	return t
}
