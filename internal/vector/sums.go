package vector

import "math"

// Sums is a Query as sums of products of its codes with those of vectors are compared with, by kernels: the bound of a vector's score reaches
// T only if its sum, less Zero, is at least
//
//	(A + AT*T)/Step + (B + BT*T)*y - Rest*(R4 + Wide*Far)/Step
//
// where y is Norm/Step, by Euclidean Far*Far/Step.
type Sums struct {
	Codes        []int8 // by dimension, padded to whole groups
	Values       []float32
	Norm         float32
	Sum          int // of the codes
	Zero         int // the sum of a vector of zeros, within one half
	A, AT, B, BT float64
	Rest, Wide   float64
	// No score is less than the T for which the sum, less Zero and what is times Rest, is (Low + LowT*T)/Step + (LowB + BT*T)*y.
	Low, LowT, LowB float64
}

// SumsOf returns a query as kernels take it.
func SumsOf(c *Coder, by Similarity, v []float32) Sums {
	q := newQuery(c, by, v)
	sum := 0
	for _, code := range q.narrow {
		sum += int(code)
	}
	s := &q.upper
	one := s.byCode
	if one == 0 { // all codes are 0
		one = 1
	}
	x := Sums{Codes: q.narrow, Values: q.values, Norm: float32(q.norm), Sum: sum, Zero: int(math.Round(float64(sum) * (middle - 7.5) / 16)), Rest: s.byRest / one, Wide: s.byFar / s.byRest}
	base := q.base + q.vague + tiny
	switch q.by {
	case Euclidean:
		x.A = (q.base/2 - 2*q.vague - tiny - tiny/(1-2*q.sum)) / one
		x.AT = 1 / (2 * (1 - 2*q.sum)) / one
		x.B = (1 - 0x1p-20) / 2 / one
		x.Low, x.LowT, x.LowB = (q.base/2+2*q.vague+2*tiny)/one, 1/(2*(1+2*q.sum))/one, (1+0x1p-20)/2/one
	case Cosine:
		x.A = -base / one
		x.B, x.BT = -(2*q.sum+8*unit)*q.norm/one, q.norm/one
	default:
		x.A, x.AT = -base/one, 1/one
		x.B = -2 * q.sum * q.norm / one
	}
	if q.by != Euclidean {
		x.Low, x.LowT, x.LowB = (q.vague+tiny-q.base)/one, x.AT, -x.B
	}
	return x
}

// NewExact returns a query of which only Score may be asked, and not of codes that are alone.
func NewExact(by Similarity, v []float32) *Query {
	q := &Query{by: by, values: make([]float32, Padded(len(v)))}
	copy(q.values, v)
	q.norm = float64(Norm(q.values))
	return q
}
