package unary

import (
	"encoding/binary"
	"math/bits"
)

// MaxWords is the most words that the unary part of a block takes. At the width
// that makes a block of n <= 128 values smallest, the sum of its quotients is at
// most about 2n; encoders choose among the widths that keep within this bound.
const MaxWords = 32

// MaxOnes is the most numbers in a unary part.
const MaxOnes = 128

// positions are those of the ones of a unary part.
type positions [MaxOnes]uint32

// sound says whether src can be a unary part of n numbers.
func sound(src []byte, n int) bool {
	return len(src) > 0 && len(src)%4 == 0 && len(src) <= MaxWords*4 && n <= MaxOnes
}

// read fills in the positions of the ones of src; false if there are not n.
func (dst *positions) read(src []byte, from uint, n int) bool {
	i, base := 0, -uint32(from)
	word := uint64(binary.LittleEndian.Uint32(src)) >> from << from
	for {
		if i+bits.OnesCount64(word) > n {
			return false
		}
		for ; word != 0; word &= word - 1 {
			dst[i] = base + uint32(bits.TrailingZeros64(word))
			i++
		}
		base += 32
		if src = src[4:]; len(src) == 0 {
			return i == n
		}
		word = uint64(binary.LittleEndian.Uint32(src))
	}
}

// Select returns the position of the i-th one (from 0) of src, from bit from
// (below 32) on and relative to it, and that of the one before it, -1 if i is 0;
// ok is false if there are not so many.
func Select(src []byte, from uint, i int) (p, before int, ok bool) {
	before = -1
	for at := 0; at+4 <= len(src); at += 4 {
		word := binary.LittleEndian.Uint32(src[at:])
		if at == 0 {
			word = word >> from << from
		}
		base := at*8 - int(from)
		ones := bits.OnesCount32(word)
		if i >= ones {
			if ones > 0 {
				before = base + 31 - bits.LeadingZeros32(word)
			}
			i -= ones
			continue
		}
		for ; i > 0; i-- {
			before = base + bits.TrailingZeros32(word)
			word &= word - 1
		}
		return base + bits.TrailingZeros32(word), before, true
	}
	return 0, 0, false
}

// Writer writes unary numbers.
type Writer struct {
	dst   []byte
	start int
	at    uint
}

// NewWriter returns a Writer that appends words words to dst. The first head bits,
// fewer than 32, hold the value first.
func NewWriter(dst []byte, words, head uint, first uint32) Writer {
	start := len(dst)
	for range words {
		dst = append(dst, 0, 0, 0, 0)
	}
	w := Writer{dst: dst, start: start, at: head}
	if words > 0 {
		binary.LittleEndian.PutUint32(dst[start:], first)
	}
	return w
}

// Put writes q zeros and a one.
func (w *Writer) Put(q uint32) {
	w.at += uint(q)
	i := w.start + int(w.at/8)
	w.dst[i] |= 1 << (w.at % 8)
	w.at++
}

// Bytes returns dst with the words.
func (w *Writer) Bytes() []byte { return w.dst }

// AddSums reads the n numbers of src, from bit from (below 32) on, and adds the sum of
// those up to the i-th, shifted left by width, to each dst[i]; sums are mod 2^32. dst
// must have MaxOnes elements, of which those from n on may be overwritten. AddSums
// returns false if src is not 1 to MaxWords words or does not have n ones, n being at
// most MaxOnes. So do the functions below.
func AddSums(dst []uint32, n int, src []byte, from, width uint) bool {
	return sound(src, n) && addSums(dst[:MaxOnes], n, src, from, width)
}

func addSumsPortable(dst []uint32, n int, src []byte, from, width uint) bool {
	var p positions
	if !p.read(src, from, n) {
		return false
	}
	for i := range dst[:n] {
		dst[i] += (p[i] - uint32(i)) << width
	}
	return true
}

// AddNumbers adds the i-th number, shifted left by width (at most 31), to each dst[i].
// It returns false also if a shifted number is 2^32 or more.
func AddNumbers(dst []uint32, n int, src []byte, from, width uint) bool {
	return sound(src, n) && addNumbers(dst[:MaxOnes], n, src, from, width)
}

func addNumbersPortable(dst []uint32, n int, src []byte, from, width uint) bool {
	var p positions
	if !p.read(src, from, n) {
		return false
	}
	next, or := uint32(0), uint32(0)
	for i := range dst[:n] {
		q := p[i] - next
		next = p[i] + 1
		or |= q
		dst[i] += q << width
	}
	return uint64(or)<<width>>32 == 0
}

// Join puts the sums of the numbers, shifted left by width, before the low bits in dst,
// and adds base + i to the i-th: what Elias and Fano's code of a strictly rising
// sequence holds. It returns false also if the sequence falls or takes a step of 2^31.
func Join(dst []uint32, n int, src []byte, from, width uint, base uint32) bool {
	return sound(src, n) && join(dst[:MaxOnes], n, src, from, width, base)
}

func joinPortable(dst []uint32, n int, src []byte, from, width uint, base uint32) bool {
	var p positions
	if !p.read(src, from, n) {
		return false
	}
	before, falls := uint32(0), uint32(0)
	for i, low := range dst[:n] {
		x := (p[i]-uint32(i))<<width | low
		falls |= x - before
		before = x
		dst[i] = base + uint32(i) + x
	}
	return falls>>31 == 0
}

// Differ puts the sums of the numbers, shifted left by width, before the low bits in
// dst and leaves the differences of one to the next, plus one. It returns false also
// if a result is not 1 to 2^32-1.
func Differ(dst []uint32, n int, src []byte, from, width uint) bool {
	return sound(src, n) && differ(dst[:MaxOnes], n, src, from, width)
}

func differPortable(dst []uint32, n int, src []byte, from, width uint) bool {
	var p positions
	if !p.read(src, from, n) {
		return false
	}
	before, wide := uint64(0), uint64(0)
	for i, low := range dst[:n] {
		x := uint64(p[i]-uint32(i))<<width | uint64(low)
		f := x - before + 1
		wide |= f | (f - 1) // a fall, 2^32 and beyond
		before = x
		dst[i] = uint32(f)
	}
	return wide>>32 == 0
}
