package patch

import (
	"encoding/binary"
	"math/bits"

	"github.com/pinion-index/pinion/internal/bitpack"
)

// Form is the layout of a block: that of codec newpfd or of codec parapfor, as their
// packages describe it. A block of no words holds nothing but zeros in both.
type Form uint8

// The forms.
const (
	NewPFD Form = iota
	ParaPFor
)

// The head of a block of newpfd.
const (
	widthBits = 6
	countBits = 7
	overBits  = 5
	headBits  = widthBits + countBits + overBits
)

// The header of a block of parapfor, in bytes.
const headerSize = 4

// maxBlock is more than the bytes of the longest block.
const maxBlock = 2048

// listedBits has the bits of so many positions, and their width or asBitmap.
var listedBits = func() (t [1 << countBits]struct{ size, width uint8 }) {
	for n := range t {
		t[n].size, t[n].width = uint8(n*positionBits), positionBits
		if n > ListMax {
			t[n].size, t[n].width = bitmapBits, asBitmap
		}
	}
	return t
}()

// open reads the head of block p of n values; it returns false unless the block is as long
// as the head says.
func (l *layout) open(f Form, p []byte, n int) bool {
	if len(p) < 4 {
		return true
	}
	head := uint(binary.LittleEndian.Uint32(p))
	if f == NewPFD {
		l.Width = head & (1<<widthBits - 1)
		l.Count = head >> widthBits & (1<<countBits - 1)
		l.Over = head >> (widthBits + countBits) & (1<<overBits - 1)
		positions := &listedBits[l.Count]
		l.bit, l.pos, l.plus = headBits, uint(positions.width), 1
		l.low = int((headBits + uint(positions.size) + l.Count*l.Over + 31) / 32 * 4)
		return l.low+bitpack.Size(n, l.Width) == len(p) && l.Width <= bitpack.MaxWidth
	}
	l.Width, l.pos, l.Over, l.Count = head&0xff, head>>8&0xff, head>>16&0xff, head>>24
	if l.Width > bitpack.MaxWidth || l.Over > bitpack.MaxWidth || l.pos > positionBits || l.Count > bitpack.BlockLen || l.Count > 0 && l.Over == 0 {
		return false
	}
	l.low = headerSize
	end := headerSize + uint(bitpack.Size(n, l.Width))
	l.bit = end * 8
	return end+4*Words(l.Count*(l.pos+l.Over)) == uint(len(p))
}

// append appends the smallest block that holds v, whose bitwise or is or.
func (f Form) append(dst []byte, v []uint32, or uint32) []byte {
	if or == 0 {
		return dst
	}
	if f == NewPFD {
		p := Choose(v, or, headBits)
		w := Writer{Dst: dst}
		w.Put(uint32(p.Width), widthBits)
		w.Put(uint32(p.Count), countBits)
		w.Put(uint32(p.Over), overBits)
		w.PutExceptions(v, p)
		return bitpack.Pack(w.Flush(), v, p.Width)
	}
	h := chooseListed(v, or)
	dst = append(dst, byte(h.Width), byte(h.pos), byte(h.Over), byte(h.Count))
	w := Writer{Dst: bitpack.Pack(dst, v, h.Width)}
	if h.Count > 0 {
		for i, x := range v {
			if x>>h.Width != 0 {
				w.Put(uint32(i), h.pos)
			}
		}
		for _, x := range v {
			if x>>h.Width != 0 {
				w.Put(x>>h.Width, h.Over)
			}
		}
	}
	return w.Flush()
}

// words returns the words that append appends.
func (f Form) words(v []uint32, or uint32) uint {
	switch {
	case or == 0:
		return 0
	case f == NewPFD:
		return Choose(v, or, headBits).Words(len(v), headBits)
	}
	return chooseListed(v, or).words(len(v))
}

// listed is a plan of parapfor.
type listed struct {
	Plan
	pos uint // bits of the largest position
}

// words returns the words of a block of n values.
func (h listed) words(n int) uint {
	return headerSize/4 + 4*uint(bitpack.Vectors(n, h.Width)) + Words(h.Count*(h.pos+h.Over))
}

// chooseListed returns the plan with which v, whose bitwise or is or, takes the fewest
// words, and of those the one with the fewest exceptions.
func chooseListed(v []uint32, or uint32) listed {
	full := uint(bits.Len32(or))
	var count, last [33]uint
	for i, x := range v {
		l := bits.Len32(x) & 63
		count[l]++
		last[l] = uint(i)
	}
	h := listed{Plan: Plan{Width: full}}
	best, least := h, h.words(len(v))
	for furthest := uint(0); h.Width > 0; {
		h.Width--
		h.Over++
		h.Count += count[h.Width+1]
		if count[h.Width+1] > 0 {
			furthest = max(furthest, last[h.Width+1])
		}
		h.pos = uint(bits.Len(furthest))
		if words := h.words(len(v)); words < least {
			best, least = h, words
		}
	}
	return best
}
