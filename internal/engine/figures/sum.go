package figures

import (
	"math"
	"math/bits"
	"slices"
)

// Unit is the exponent of the unit in which floats are summed: all are whole multiples of 2^Unit. The unit of integers is 1.
const Unit = -1074

// Sum is the sum of integers, as it is: a number in two's complement of as many words as it needs, times a power of 2^64. The
// zero Sum is 0.
type Sum struct {
	words []uint64 // the lowest first; the last has nothing but the sign
	low   int      // how many words, all 0, are left out before the first
}

// AddInteger adds an integer.
func (s *Sum) AddInteger(x int64) { s.Add(uint64(x), uint64(x>>63), 0) }

// AddFloat adds a finite float to a sum in Unit.
func (s *Sum) AddFloat(x float64) {
	m, shift := Split(x)
	s.Add(uint64(m), uint64(m>>63), shift)
}

// Split returns a finite float in Unit: m times 2^shift, m of 54 bits with its sign.
func Split(x float64) (m int64, shift int) {
	b := math.Float64bits(x)
	m, shift = int64(b&(1<<52-1)), int(b>>52&0x7ff)
	if shift > 0 {
		m |= 1 << 52
		shift--
	}
	if b>>63 == 1 {
		m = -m
	}
	return m, shift
}

// Add adds 2^shift times the integer of 128 bits, in two's complement, that lo and hi are.
func (s *Sum) Add(lo, hi uint64, shift int) {
	if lo|hi == 0 {
		return
	}
	at, by := shift/64, uint(shift%64)
	sign := uint64(int64(hi) >> 63)
	x := [3]uint64{lo << by, hi<<by | lo>>(64-by), sign<<by | hi>>(64-by)}
	s.cover(at, at+len(x)+1)
	s.add(x[:], sign, at)
}

// cover makes room for words from number from up to to, and for a carry behind them.
func (s *Sum) cover(from, to int) {
	if len(s.words) == 0 {
		s.low, s.words = from, make([]uint64, to-from)
		return
	}
	if n := s.low - from; n > 0 {
		s.words, s.low = slices.Insert(s.words, 0, make([]uint64, n)...), from
	}
	top := s.words[len(s.words)-1]
	sign := uint64(int64(top) >> 63)
	if top != sign {
		to = max(to, s.low+len(s.words)+1)
	}
	for s.low+len(s.words) < to {
		s.words = append(s.words, sign)
	}
}

// add adds words from number at on, and behind them sign.
func (s *Sum) add(x []uint64, sign uint64, at int) {
	carry := uint64(0)
	for i := at - s.low; i < len(s.words); i++ {
		w := sign
		if k := i - (at - s.low); k < len(x) {
			w = x[k]
		}
		s.words[i], carry = bits.Add64(s.words[i], w, carry)
	}
}

// Merge adds o, which does not change.
func (s *Sum) Merge(o *Sum) {
	if len(o.words) == 0 {
		return
	}
	s.cover(o.low, o.low+len(o.words)+1)
	s.add(o.words, uint64(int64(o.words[len(o.words)-1])>>63), o.low)
}

// Clone returns a Sum of its own.
func (s *Sum) Clone() Sum { return Sum{slices.Clone(s.words), s.low} }

// Size returns about how many bytes s takes beside itself.
func (s *Sum) Size() int { return 8 * cap(s.words) }

// trim leaves out words that say nothing, so that equal sums have the same words.
func (s *Sum) trim() {
	w := s.words
	for n := len(w); n > 1 && w[n-1] == uint64(int64(w[n-2])>>63); n-- {
		w = w[:n-1]
	}
	for len(w) > 0 && w[0] == 0 {
		w, s.low = w[1:], s.low+1
	}
	if s.words = w; len(w) == 0 {
		s.low = 0
	}
}

// magnitude returns the absolute value in words and the exponent of its first bit, in units of 2^unit.
func (s *Sum) magnitude(unit int) (words []uint64, exp int, negative bool) {
	words = slices.Clone(s.words)
	if n := len(words); n > 0 && int64(words[n-1]) < 0 {
		negative = true
		carry := uint64(1)
		for i, w := range words {
			words[i], carry = bits.Add64(^w, 0, carry)
		}
	}
	return words, unit + 64*s.low, negative
}

// Float returns the sum in units of 2^unit as the nearest float, of two as near the even one: an infinity if it is beyond
// the greatest.
func (s *Sum) Float(unit int) float64 {
	words, exp, negative := s.magnitude(unit)
	return signed(round(words, exp, false), negative)
}

// Mean returns the sum in units of 2^unit, divided by each of some numbers above 0, as the nearest float.
func (s *Sum) Mean(unit int, by ...uint64) float64 {
	words, exp, negative := s.magnitude(unit)
	rest := false
	for _, n := range by {
		words, exp = append([]uint64{0, 0}, words...), exp-128 // so that the quotient has more bits than a float
		r := uint64(0)
		for i := len(words) - 1; i >= 0; i-- {
			words[i], r = bits.Div64(r, words[i], n)
		}
		rest = rest || r > 0
	}
	return signed(round(words, exp, rest), negative)
}

func signed(x float64, negative bool) float64 {
	if negative {
		return -x
	}
	return x
}

// round returns words times 2^exp as the nearest float, of two as near the even one. With more, the number is a little greater; words
// have more than 64 bits then.
func round(words []uint64, exp int, more bool) float64 {
	n := len(words)
	for n > 0 && words[n-1] == 0 {
		n--
	}
	if n == 0 {
		return 0
	}
	m, by := words[n-1], uint(bits.LeadingZeros64(words[n-1]))
	m <<= by
	if n > 1 {
		m |= words[n-2] >> (64 - by)
		more = more || words[n-2]<<by != 0
	}
	for _, w := range words[:max(n-2, 0)] {
		more = more || w != 0
	}
	exp += 64*(n-1) - int(by) // of the last bit of m, whose first is set
	const least = -1022
	drop := 11 + max(0, least-(exp+63)) // bits of m that a float does not have
	if drop > 64 {
		return 0
	}
	half := uint64(1) << (drop - 1)
	rest := m & (half<<1 - 1)
	kept := uint64(0)
	if drop < 64 {
		kept = m >> drop
	}
	if rest > half || rest == half && (more || kept&1 == 1) {
		kept++
	}
	b := kept
	if drop == 11 {
		if exp+63 > 1023 {
			return math.Inf(1)
		}
		b += uint64(exp+63-least) << 52 // the first bit of kept counts one more
	}
	return math.Float64frombits(b) // beyond the greatest float, an infinity
}
