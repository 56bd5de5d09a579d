package regress

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/internal/bitpack"
	"github.com/pinion-index/pinion/internal/codec/internal/patch"
)

const (
	// BlockLen is the maximum number of elements of a segment.
	BlockLen = bitpack.BlockLen

	widthBits = 6
	countBits = 7
	overBits  = 5
	leastBits = 6
	headBits  = widthBits + countBits + overBits + leastBits

	// worth is the minimum number of words that exceptions must save in a segment.
	worth = 4
)

// Segment is a parsed segment, or one to be written.
type Segment struct {
	N     int // elements
	Plan  patch.Plan
	Extra uint32 // additional field of the codec in the head
	Least uint32 // M, mod 2^32

	src []byte
	at  uint // bit offset of the exceptions
	low int  // byte offset of the low bits
}

// New plans a segment from the deviations of its elements, given in lambda, and the least
// of them, and replaces them by the lambda. extraBits is the number of bits of Extra.
func New(lambda []uint32, dev []int32, least int32, extra uint32, extraBits uint) Segment {
	var or uint32
	for j, d := range dev {
		x := uint32(d - least)
		lambda[j] = x
		or |= x
	}
	s := Segment{Extra: extra, Least: uint32(least), N: len(dev)}
	s.at = headBits + extraBits + s.leastWidth()
	s.Plan = patch.Choose(lambda[:len(dev)], or, s.at)
	plain := patch.Plan{Width: uint(bits.Len32(or))}
	if s.Plan.Words(len(dev), s.at)+worth > plain.Words(len(dev), s.at) {
		s.Plan = plain
	}
	return s
}

func (s *Segment) leastWidth() uint { return uint(bits.Len32(zigzag(int32(s.Least)))) }

// Words returns the number of words of the segment.
func (s *Segment) Words() uint { return s.Plan.Words(s.N, s.at) }

// Append appends the segment, with the lambda stored by New.
func (s *Segment) Append(dst []byte, lambda []uint32, extraBits uint) []byte {
	w := patch.Writer{Dst: dst}
	w.Put(uint32(s.Plan.Width), widthBits)
	w.Put(uint32(s.Plan.Count), countBits)
	w.Put(uint32(s.Plan.Over), overBits)
	w.Put(uint32(s.leastWidth()), leastBits)
	w.Put(s.Extra, extraBits)
	w.Put(zigzag(int32(s.Least)), s.leastWidth())
	w.PutExceptions(lambda, s.Plan)
	return bitpack.Pack(w.Flush(), lambda, s.Plan.Width)
}

// open parses the segment of n elements in p. It returns false unless the segment has the
// length given by its head.
func (s *Segment) open(p []byte, n int, extraBits uint) bool {
	if len(p) < 4 {
		return false
	}
	head := uint(binary.LittleEndian.Uint32(p))
	s.Plan.Width = head & (1<<widthBits - 1)
	s.Plan.Count = head >> widthBits & (1<<countBits - 1)
	s.Plan.Over = head >> (widthBits + countBits) & (1<<overBits - 1)
	mw := head >> (widthBits + countBits + overBits) & (1<<leastBits - 1)
	s.Extra = uint32(head>>headBits) & (1<<extraBits - 1)
	s.src, s.at, s.N = p, headBits+extraBits+mw, n
	s.low = int(patch.Words(s.at+s.Plan.Bits())) * 4
	if s.Plan.Width > bitpack.MaxWidth || mw > 32 || s.low+bitpack.Size(n, s.Plan.Width) != len(p) {
		return false
	}
	s.Least = uint32(unzigzag(patch.Get(p, headBits+extraBits, mw)))
	return true
}

// Lambda writes the lambda of the segment to dst, which has 128 elements. It returns
// false if the exceptions are invalid.
func (s *Segment) Lambda(dst []uint32) bool { return Unpack(dst, s.N, s.src, s.low, s.at, s.Plan) }

// Unpack writes n lambda to dst, which has 128 elements. Their low bits start at byte low
// of src, and the exceptions, if there are any, at bit. It returns false if the
// exceptions are invalid.
func Unpack(dst []uint32, n int, src []byte, low int, bit uint, p patch.Plan) bool {
	if p.Count == 0 {
		bitpack.Unpack(dst, src[low:], n, p.Width)
		return true
	}
	return patch.Unpack(dst, n, src, low, bit, p)
}

// strict reports whether the segment leaves no bit unused and its fields are as narrow as what
// they hold.
func (s *Segment) strict(extraBits uint) bool {
	if s.at != headBits+extraBits+s.leastWidth() || !s.Plan.Tight(s.src, s.at) {
		return false
	}
	return s.N == BlockLen || StrictLow(s.src[s.low:], s.N, s.Plan)
}

// StrictLow reports whether the low bits of a short block of n lambda, at the beginning of src,
// leave no bit unused and, if there are no exceptions, are as few as the lambda need.
func StrictLow(src []byte, n int, p patch.Plan) bool {
	if !patch.TightLow(src, n, p.Width) {
		return false
	}
	if p.Count > 0 {
		return true
	}
	var lambda [BlockLen]uint32
	bitpack.Unpack(lambda[:], src, n, p.Width)
	return bitpack.Bits(lambda[:n]) == p.Width
}
