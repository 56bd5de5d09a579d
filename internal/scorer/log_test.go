package scorer

import (
	"math"
	"math/big"
	"testing"
)

// bigLog is ln(x) to more than 100 bits. It takes square roots until the argument is near 1 and
// then sums the artanh series in big.Float.
func bigLog(x float64) float64 {
	const prec = 200
	v := new(big.Float).SetPrec(prec).SetFloat64(x)
	for range 40 {
		v.Sqrt(v)
	}
	one := big.NewFloat(1).SetPrec(prec)
	num := new(big.Float).SetPrec(prec).Sub(v, one)
	den := new(big.Float).SetPrec(prec).Add(v, one)
	s := new(big.Float).SetPrec(prec).Quo(num, den)
	s2 := new(big.Float).SetPrec(prec).Mul(s, s)
	sum, p := new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec).Set(s)
	for n := int64(1); n < 20; n += 2 {
		sum.Add(sum, new(big.Float).SetPrec(prec).Quo(p, new(big.Float).SetPrec(prec).SetInt64(n)))
		p.Mul(p, s2)
	}
	sum.SetMantExp(sum, 41)
	f, _ := sum.Float64()
	return f
}

func TestLogarithm(t *testing.T) {
	check := func(x float64) {
		want, got := bigLog(x), Logarithm(x)
		if math.Abs(got-want) > 1e-15*math.Abs(want)+1e-17 {
			t.Errorf("Logarithm(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{1, 2, 0.5, 10, math.E, math.Sqrt2, 1.4142135623730951, 0.7071067811865475, 1e-300, 1e300, 4e9} {
		check(x)
	}
	for i := range 200 {
		check(1 + math.Ldexp(1, -i%50))
		check(1 + float64(i)*0.37)
	}
}
