package colblock

import (
	"math"
	"math/bits"
)

// divisor divides multiples of a number without a division: it shifts out the factors of two and multiplies by the inverse
// of the rest modulo 2^64 (Granlund and Montgomery, Division by Invariant Integers using Multiplication, section 9).
type divisor struct {
	shift         uint
	inverse, most uint64
}

// newDivisor returns what divides by g, which is not 0.
func newDivisor(g uint64) divisor {
	shift := uint(bits.TrailingZeros64(g))
	odd := g >> shift
	inverse := odd // of the last 3 bits; each step doubles how many
	for range 5 {
		inverse *= 2 - odd*inverse
	}
	return divisor{shift, inverse, math.MaxUint64 / odd}
}

// divides reports whether v is a multiple.
func (x *divisor) divides(v uint64) bool {
	return v&(1<<x.shift-1) == 0 && v>>x.shift*x.inverse <= x.most
}

// quotient returns which multiple v is. It must be one.
func (x *divisor) quotient(v uint64) uint64 { return v >> x.shift * x.inverse }
