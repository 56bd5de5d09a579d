package unary

import (
	"encoding/binary"
	"math/bits"
)

// MaxWords is the maximum number of words of the unary part of a block. At the width with
// the smallest block of n <= 128 values, the sum of its quotients is at most about 2n;
// encoders choose among the widths that observe this limit.
const MaxWords = 32

// MaxOnes is the maximum count of numbers in a unary part.
const MaxOnes = 128

// positions are the positions of the ones of a unary part. Vector instructions write up
// to eight words past the last.
type positions [MaxOnes + 8]uint32

// read sets the positions of the ones of src from bit from (less than 32) on, relative to
// it. It returns false if src is not 1 to MaxWords words or does not have n ones from
// there on. It counts in a copy, since the ones must not become more than n meanwhile:
// files that are mapped can change.
func (p *positions) read(src []byte, from uint, n int) bool {
	if len(src) == 0 || len(src)%4 != 0 || len(src) > MaxWords*4 || n > MaxOnes {
		return false
	}
	var words [MaxWords * 4]byte
	first := binary.LittleEndian.Uint32(src) >> from << from
	ones, at := bits.OnesCount32(first), 4
	for ; at+8 <= len(src); at += 8 {
		x := binary.LittleEndian.Uint64(src[at:])
		binary.LittleEndian.PutUint64(words[at:], x)
		ones += bits.OnesCount64(x)
	}
	if at < len(src) {
		x := binary.LittleEndian.Uint32(src[at:])
		binary.LittleEndian.PutUint32(words[at:], x)
		ones += bits.OnesCount32(x)
	}
	if ones != n {
		return false
	}
	p.find(words[:len(src)], first, from)
	return true
}

// findGo is find without vector instructions.
func (p *positions) findGo(src []byte, first uint32, from uint) {
	i, base, word := 0, -uint32(from), uint64(first)
	for {
		for ; word != 0; word &= word - 1 {
			p[i%MaxOnes] = base + uint32(bits.TrailingZeros64(word))
			i++
		}
		base += 32
		if src = src[4:]; len(src) == 0 {
			return
		}
		word = uint64(binary.LittleEndian.Uint32(src))
	}
}

// Writer writes unary numbers.
type Writer struct {
	dst   []byte
	start int
	at    uint
}

// NewWriter returns a Writer that appends words words to dst. The first head bits, fewer
// than 32, are set to first.
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

// Bytes returns dst with the words appended.
func (w *Writer) Bytes() []byte { return w.dst }

// AddSums reads the numbers of src from bit from (less than 32) on, and adds the sum of
// numbers 0 to i, shifted left by width, to each dst[i], mod 2^32. Like the functions
// below, it returns false if src is not 1 to MaxWords words or does not have len(dst)
// ones, or if len(dst) exceeds MaxOnes.
func AddSums(dst []uint32, src []byte, from, width uint) bool {
	var p positions
	if !p.read(src, from, len(dst)) {
		return false
	}
	for i, at := range p[:len(dst)] {
		dst[i] += uint32(uint64(at-uint32(i)) << (width & 63))
	}
	return true
}

// AddNumbers adds number i, shifted left by width (at most 31), to each dst[i]. It also
// returns false if a shifted number is 2^32 or more.
func AddNumbers(dst []uint32, src []byte, from, width uint) bool {
	var p positions
	if !p.read(src, from, len(dst)) {
		return false
	}
	next, or := uint32(0), uint32(0)
	for i, at := range p[:len(dst)] {
		q := at - next
		next = at + 1
		or |= q
		dst[i] += q << (width & 31)
	}
	return uint64(or)<<width>>32 == 0
}

// Join combines the sums of the numbers, shifted left by width, with the low bits in dst,
// and adds base + i to each dst[i], which decodes the Elias-Fano code of a strictly
// increasing sequence. It also returns false if the sequence decreases or has a step of
// 2^31.
func Join(dst []uint32, src []byte, from, width uint, base uint32) bool {
	var p positions
	if !p.read(src, from, len(dst)) {
		return false
	}
	before, falls := uint32(0), uint32(0)
	for i, at := range p[:len(dst)] {
		x := uint32(uint64(at-uint32(i))<<(width&63)) | dst[i]
		falls |= x - before
		before = x
		dst[i] = base + uint32(i) + x
	}
	return falls>>31 == 0
}

// Differ combines the sums of the numbers, shifted left by width, with the low bits in
// dst, and replaces these by the differences between adjacent ones, plus one. It also
// returns false if a result is not 1 to 2^32-1.
func Differ(dst []uint32, src []byte, from, width uint) bool {
	var p positions
	if !p.read(src, from, len(dst)) {
		return false
	}
	before, wide := uint64(0), uint64(0)
	for i, at := range p[:len(dst)] {
		x := uint64(at-uint32(i))<<(width&63) | uint64(dst[i])
		f := x - before + 1
		wide |= f | (f - 1) // a decrease, or 2^32 and more
		before = x
		dst[i] = uint32(f)
	}
	return wide>>32 == 0
}
