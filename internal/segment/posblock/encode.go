package posblock

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/internal/bitpack"
)

// The gaps of a posting block, or of a whole list without an extent that has SmallBelow or
// more, are cut into pieces of PieceLen; the last one may be shorter. A piece is coded as in
// "Super-Scalar RAM-CPU Cache Compression" (Zukowski et al. 2006), with the exceptions apart from
// the values, as in "Inverted Index Compression and Query Processing with Optimized Document
// Ordering" (Yan et al. 2009):
//
//	u16          width of the values, width of the exceptions' high bits, exceptions; see below
//	u8           for each exception: its index in the piece, ascending
//	high bits    of each exception, one after the other
//	values       the low bits of each gap: of PieceLen gaps in the four lanes of package
//	             bitpack, of fewer one after the other
//
// Exceptions come first, so that a piece needs no number of values to be read, and pieces that are
// not the last tell by their headers where the next one is.

// The header of a piece.
const (
	headSize     = 2
	widthBits    = 5       // bits 0 to 4: width
	highShift    = 5       // bits 5 to 9: width of high bits, 0 without exceptions
	countShift   = 10      // bits 10 to 14: exceptions
	partial      = 1 << 15 // set if the piece has fewer than PieceLen values
	fieldMask    = 1<<widthBits - 1
	mostPatched  = fieldMask // exceptions
	laneBytes    = bitpack.VectorSize
	mostPieceLen = headSize + mostPatched + (mostPatched*31+7)/8 + 31*laneBytes // no piece is longer
)

// AppendBlock appends the gaps of a block, at least one.
func AppendBlock(dst []byte, gaps []uint32) []byte {
	for ; len(gaps) > PieceLen; gaps = gaps[PieceLen:] {
		dst = appendPiece(dst, gaps[:PieceLen])
	}
	return appendPiece(dst, gaps)
}

// shape is how a piece is coded.
type shape struct {
	width, high uint
	patched     int
}

// shapeOf returns the shape in which gaps take the fewest bytes, with the greatest width of
// several.
func shapeOf(gaps []uint32) shape {
	var of [33]uint8 // gaps by their number of bits
	for _, g := range gaps {
		of[bits.Len32(g)&63]++
	}
	most := uint(32)
	for of[most] == 0 && most > 0 {
		most--
	}
	best := shape{width: most}
	size, patched := valuesSize(len(gaps), most), 0
	for w := most; w > 0; w-- {
		if patched += int(of[w]); patched > mostPatched {
			break
		}
		high := most - w + 1
		if n := valuesSize(len(gaps), w-1) + patched + bytesOf(patched, high); n < size {
			size, best = n, shape{w - 1, high, patched}
		}
	}
	return best
}

// valuesSize returns the number of bytes of the low bits of n gaps.
func valuesSize(n int, width uint) int {
	if n == PieceLen {
		return laneBytes * int(width)
	}
	return bytesOf(n, width)
}

func appendPiece(dst []byte, gaps []uint32) []byte {
	s := shapeOf(gaps)
	head := uint16(s.width) | uint16(s.high)<<highShift | uint16(s.patched)<<countShift
	if len(gaps) < PieceLen {
		head |= partial
	}
	dst = binary.LittleEndian.AppendUint16(dst, head)
	if s.patched > 0 {
		at := len(dst)
		for i, g := range gaps {
			if g>>s.width != 0 {
				dst = append(dst, byte(i))
			}
		}
		w := bitWriter{b: dst}
		for _, i := range dst[at:] {
			w.put(uint64(gaps[i]>>s.width), s.high)
		}
		dst = w.done()
	}
	if len(gaps) == PieceLen {
		return bitpack.Pack(dst, gaps, s.width)
	}
	w := bitWriter{b: dst}
	for _, g := range gaps {
		w.put(uint64(g&(1<<s.width-1)), s.width)
	}
	return w.done()
}
