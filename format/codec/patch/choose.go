package patch

import (
	"math/bits"

	"github.com/pinion-index/pinion/format/codec/bitpack"
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
	count [64]uint32 // by bits.Len32, at most 32
	max   uint32
}

// Add counts the values.
func (h *Histogram) Add(v []uint32) {
	most := h.max
	for _, x := range v {
		h.count[bits.Len32(x)&63]++
		most = max(most, x)
	}
	h.max = most
}

// Plan returns the plan with width b; ok is false where no block can have it.
func (h *Histogram) Plan(b uint) (p Plan, ok bool) {
	p.Width = b
	for _, n := range h.count[b+1 : 33] {
		p.Count += uint(n)
	}
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
	h.Add(v)
	least := best.Words(len(v), head)
	p := Plan{Width: full}
	for p.Width > 0 {
		p.Width--
		p.Count += uint(h.count[p.Width+1])
		p.Over = uint(bits.Len32(h.max>>p.Width - 1))
		if p.Count > MaxCount || p.Over > 31 {
			break
		}
		if words := p.Words(len(v), head); words < least {
			best, least = p, words
		}
	}
	return best
}
