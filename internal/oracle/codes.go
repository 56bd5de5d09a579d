package oracle

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sync"
)

// Coded returns what is left of v in a field that keeps codes alone: what they stand for, turned back.
func Coded(v []float32) []float32 {
	c := code(v)
	return turned(turned(c.values, 1, true), 0, true)
}

// coded is what the code of a vector stands for, turned.
type coded struct {
	values []float32
	length float32
}

// code returns the code of v.
func code(v []float32) (c coded) {
	y := turned(turned(v, 0, false), 1, false)
	greatest := float32(0)
	for _, x := range y {
		greatest = max(greatest, float32(math.Abs(float64(x))))
	}
	step := eightBits(greatest / 127)
	c.values = make([]float32, len(y))
	squares := 0.0
	for i, x := range y {
		if step >= 0x1p-100 {
			n := math.Round(float64(x) / float64(step))
			c.values[i], squares = float32(float64(step)*n), squares+n*n
		}
	}
	c.length = float32(float64(step) * math.Sqrt(squares))
	return c
}

// eightBits returns the number nearest to x whose fraction has eight bits, of two as near the even one.
func eightBits(x float32) float32 {
	fraction, exponent := math.Frexp(float64(x))
	return float32(math.Ldexp(math.RoundToEven(math.Ldexp(fraction, 8)), exponent-8))
}

// turned returns v after a round of the rotation of vectors, or before it.
func turned(v []float32, round int, back bool) []float32 {
	o := orderOf(len(v), round)
	to := make([]float32, len(v))
	if back {
		from := append([]float32(nil), v...)
		mix(from)
		for i, x := range from {
			to[o.from[i]] = x * o.sign[i]
		}
		return to
	}
	for i := range to {
		to[i] = v[o.from[i]] * o.sign[i]
	}
	mix(to)
	return to
}

// order is the order in which a round takes values, and their signs.
type order struct {
	from []int
	sign []float32
}

var orders sync.Map // by dimensions and round

func orderOf(dims, round int) *order {
	if o, ok := orders.Load([2]int{dims, round}); ok {
		return o.(*order)
	}
	numbers, o := rand.NewPCG(0, uint64(round)), &order{make([]int, dims), make([]float32, dims)}
	for i := range o.from {
		o.from[i] = i
	}
	for i := dims - 1; i > 0; i-- {
		other, _ := bits.Mul64(numbers.Uint64(), uint64(i)+1)
		o.from[i], o.from[other] = o.from[other], o.from[i]
	}
	for i := range o.sign {
		if o.sign[i] = 1; numbers.Uint64()&(1<<31) != 0 {
			o.sign[i] = -1
		}
	}
	orders.Store([2]int{dims, round}, o)
	return o
}

// mix makes the first values of v, as many as the greatest power of two that fits, their Hadamard transform, and so those behind them.
func mix(v []float32) {
	if len(v) == 0 {
		return
	}
	n := 1
	for 2*n <= len(v) {
		n *= 2
	}
	sums(v[:n])
	for i := range n {
		v[i] *= float32(1 / math.Sqrt(float64(n)))
	}
	mix(v[n:])
}

// sums adds up v, first its halves by themselves.
func sums(v []float32) {
	if len(v) == 1 {
		return
	}
	lower, upper := v[:len(v)/2], v[len(v)/2:]
	sums(lower)
	sums(upper)
	for i := range lower {
		lower[i], upper[i] = lower[i]+upper[i], lower[i]-upper[i]
	}
}
