package patch

import (
	"math/bits"

	"github.com/pinion-index/pinion/internal/bitpack"
)

const (
	// MaxCount is the most exceptions that a block can have: a block of nothing but
	// exceptions would always be smaller with a wider b.
	MaxCount = 127
	// ListMax is the most exceptions whose positions are listed; more take a bitmap.
	ListMax = 16

	positionBits = 7
	bitmapBits   = 128
)

// Plan says how a block of values is patched.
type Plan struct {
	Width uint // b: low bits of every value
	Count uint // exceptions
	Over  uint // bits of an overflow
}

// Bits returns the bits that the exceptions of the plan take.
func (p Plan) Bits() uint { return Bits(p.Count, p.Over) }

// Words returns the words of a block of n values: head bits and the exceptions,
// padded to a word, and the packed low bits.
func (p Plan) Words(n int, head uint) uint {
	return Words(head+p.Bits()) + 4*uint(bitpack.Vectors(n, p.Width))
}

// Bits returns the bits that count exceptions of over bits take.
func Bits(count, over uint) uint {
	if count > ListMax {
		return bitmapBits + count*over
	}
	return count * (positionBits + over)
}

// Histogram counts values by the number of bits they need.
type Histogram struct {
	exceed [33]uint32 // how many values need more than so many bits
	max    uint32
}

// Count counts the values, 1 to 128 of them, whose bitwise or is or.
func (h *Histogram) Count(v []uint32, or uint32) {
	full := uint(bits.Len32(or))
	for b := range h.exceed[full:] {
		h.exceed[full+uint(b)] = 0
	}
	h.max = 0
	if full > 0 {
		h.max = exceed(&h.exceed, v, full)
	}
}

// exceed writes to count how many values need more than b bits, for each b below
// full, which is what their bitwise or needs, and returns the greatest.
func exceed(count *[33]uint32, v []uint32, full uint) (most uint32) {
	if full < bitpack.MaxWidth && worthVectors(len(v)) {
		return exceedVectors(count, v, full)
	}
	return exceedPortable(count, v, full)
}

func exceedPortable(count *[33]uint32, v []uint32, full uint) (most uint32) {
	var need [64]uint32 // by bits.Len32, at most 32
	for _, x := range v {
		need[bits.Len32(x)&63]++
		most = max(most, x)
	}
	sum := uint32(0)
	for b := full; b > 0; b-- {
		sum += need[b&63]
		count[b-1] = sum
	}
	return most
}

// Plan returns the plan with width b; ok is false where no block can have it.
func (h *Histogram) Plan(b uint) (p Plan, ok bool) {
	p = Plan{Width: b, Count: uint(h.exceed[b])}
	if p.Count > 0 {
		p.Over = uint(bits.Len32(h.max>>b - 1))
	}
	return p, p.Count <= MaxCount && p.Over <= 31
}

// Choose returns the plan with the fewest words for v, which has 1 to 128 values
// whose bitwise or is or (OptPFD's choice: Yan, Ding and Suel 2009, where Ding
// 2009 and Ao 2011 take the b that leaves a tenth of the values as exceptions).
// Of plans of one size it takes that with the fewest exceptions. head is the
// number of bits that stand before the exceptions.
func Choose(v []uint32, or uint32, head uint) Plan {
	full := uint(bits.Len32(or))
	best := Plan{Width: full}
	if full == 0 {
		return best
	}
	var h Histogram
	h.max = exceed(&h.exceed, v, full)
	rows := uint(bitpack.Rows(len(v)))
	least := best.Words(len(v), head)
	for b := full - 1; b < full; b-- {
		count, over := uint(h.exceed[b&31]), uint(bits.Len32(h.max>>(b&31)-1))
		extra := Bits(count, over) // never less for a smaller b
		if count > MaxCount || over > 31 || extra >= 32*least {
			break
		}
		if words := Words(head+extra) + 4*Words(rows*b); words < least {
			best, least = Plan{b, count, over}, words
		}
	}
	return best
}
