package scorer

import "math"

// Logarithm returns ln(x) for a positive, finite x with a relative error below 1e-15. math.Log is
// assembly on some platforms and may use fused operations on others. Logarithm gives the same bits
// on all of them, because explicit conversions round every product.
//
// x = 2^e * m with m in [sqrt(1/2), sqrt(2)); ln(m) = 2 artanh(s), s = (m-1)/(m+1), |s| < 0.1716,
// by its Taylor series up to s^23.
func Logarithm(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m = float64(m * 2)
		e--
	}
	s := float64(float64(m-1) / float64(m+1))
	z := float64(s * s)
	p := 0.0
	for n := 23; n >= 3; n -= 2 {
		p = float64(float64(p*z) + float64(1/float64(n)))
	}
	// 2s + 2s*z*p: the large term is added last.
	tail := float64(float64(float64(2*s)*z) * p)
	return float64(float64(float64(e)*math.Ln2) + float64(tail+float64(2*s)))
}
