package regress

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/bitpack"
	"github.com/pinion-index/pinion/format/codec/internal/patch"
)

const (
	// BlockLen is the most elements of a segment.
	BlockLen = bitpack.BlockLen

	widthBits = 6
	countBits = 7
	overBits  = 5
	leastBits = 6
	headBits  = widthBits + countBits + overBits + leastBits

	// worth is how many words exceptions must save in a segment to be used.
	worth = 4
)

// Segment is a segment taken apart, or about to be written.
type Segment struct {
	Plan  patch.Plan
	Extra uint32 // what the codec adds to the head
	Least uint32 // M, mod 2^32

	src    []byte
	at     uint // bit at which the exceptions begin
	low    int  // byte at which the low bits begin
	length int
}

// New plans a segment from the deviations of its elements and the least of them,
// and leaves the lambda in lambda. extraBits says how many bits Extra takes.
func New(lambda []uint32, dev []int32, least int32, extra uint32, extraBits uint) Segment {
	var or uint32
	for j, d := range dev {
		x := uint32(d - least)
		lambda[j] = x
		or |= x
	}
	s := Segment{Extra: extra, Least: uint32(least), length: len(dev)}
	s.at = headBits + extraBits + s.leastWidth()
	s.Plan = patch.Choose(lambda[:len(dev)], or, s.at)
	plain := patch.Plan{Width: uint(bits.Len32(or))}
	if s.Plan.Words(len(dev), s.at)+worth > plain.Words(len(dev), s.at) {
		s.Plan = plain
	}
	return s
}

func (s *Segment) leastWidth() uint { return uint(bits.Len32(zigzag(int32(s.Least)))) }

// Words returns the words that the segment takes.
func (s *Segment) Words() uint { return s.Plan.Words(s.length, s.at) }

// Append appends the segment, whose lambda are those that New left.
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

// Open takes the segment of n elements in p apart; false unless it is as long as its
// head says.
func (s *Segment) Open(p []byte, n int, extraBits uint) bool {
	if len(p) < 4 {
		return false
	}
	head := uint(binary.LittleEndian.Uint32(p))
	s.Plan.Width = head & (1<<widthBits - 1)
	s.Plan.Count = head >> widthBits & (1<<countBits - 1)
	s.Plan.Over = head >> (widthBits + countBits) & (1<<overBits - 1)
	mw := head >> (widthBits + countBits + overBits) & (1<<leastBits - 1)
	s.Extra = uint32(head>>headBits) & (1<<extraBits - 1)
	s.src, s.at, s.length = p, headBits+extraBits+mw, n
	s.low = int(patch.Words(s.at+s.Plan.Bits())) * 4
	if s.Plan.Width > bitpack.MaxWidth || mw > 32 || s.low+bitpack.Size(n, s.Plan.Width) != len(p) {
		return false
	}
	s.Least = uint32(unzigzag(patch.Get(p, headBits+extraBits, mw)))
	return true
}

// Lambda writes the lambda of the segment to dst, which has 128 elements; false if
// the exceptions are broken.
func (s *Segment) Lambda(dst []uint32) bool {
	if s.Plan.Count == 0 {
		bitpack.Unpack(dst, s.src[s.low:], s.length, s.Plan.Width)
		return true
	}
	return patch.Unpack(dst, s.length, s.src, s.low, s.at, s.Plan)
}

// Docs writes the segment's docIDs to dst, which has 128 elements, given its line; false
// if the exceptions are broken, or the docIDs do not rise above prev.
func (s *Segment) Docs(dst []uint32, l Local, prev uint32) bool {
	l.Start += s.Least
	return l.Unpack(dst, s.length, s.src, s.low, s.at, s.Plan, prev)
}

// ListBlock decodes full block i of s to dst, of 128 elements: a segment without an
// extra field along the line that the list begins with. It is false, and dst of no use,
// unless the block is sound and can be decoded with AVX-512 where it lies.
// Then the caller finds out more slowly what it is. So it is with the two below.
func ListBlock(dst []uint32, s *codec.Sequence, i int) bool { return listBlock(dst, s, i) }

// ChordBlock is ListBlock for a segment whose extra field, of 5 bits, turns the chord
// of the block as package seglrc says.
func ChordBlock(dst []uint32, s *codec.Sequence, i int) bool { return chordBlock(dst, s, i) }

// TwoLines is ListBlock for elements that follow lines[0] up to element turn, 0 to
// 128, and from there on lines[1], of which that is element 0.
func TwoLines(dst []uint32, s *codec.Sequence, i int, lines *[2]Local, turn int) bool {
	return twoLines(dst, s, i, lines, turn)
}

// ListRun decodes count full blocks of s from block i on to dst, as ListBlock does one, and
// returns how many: the one after them it cannot decode. So it is with the two below.
func ListRun(dst []uint32, s *codec.Sequence, i, count int) int { return listRun(dst, s, i, count) }

// ChordRun is ListRun for the segments that ChordBlock decodes.
func ChordRun(dst []uint32, s *codec.Sequence, i, count int) int { return chordRun(dst, s, i, count) }

// BucketRun is ListRun for segments along lines of their own for docIDs that agree in the
// bits from shift on. The payload begins with so many entries of 16 bytes, by those bits: the index
// of the first element, the line's intercept as seen from it, and slope. A block of more
// than two of them, or of two that are not neighbours, it cannot decode.
func BucketRun(dst []uint32, s *codec.Sequence, i, count int, shift, buckets uint) int {
	return bucketRun(dst, s, i, count, shift, buckets)
}

// At returns M plus lambda of element j, mod 2^32.
func (s *Segment) At(j int) uint32 {
	x := s.Least + patch.Low(s.src[s.low:], s.Plan.Width, uint(j))
	if s.Plan.Count > 0 {
		x += patch.Find(s.src, s.at, s.Plan, uint(j))
	}
	return x
}
