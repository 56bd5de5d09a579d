package idxbench

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/pinion-index/pinion/gpuload/hybrid"
)

// ridge keeps coefficients of features that the queries do not tell apart near 0. It is
// relative to the number of samples.
const ridge = 1e-4

// fit returns the polynomial that is nearest, by least squares of logarithms, to times
// measured for queries with these features.
func fit(features []hybrid.Features, times []time.Duration) ([]float64, error) {
	rows := len(features)
	a, b := mat.NewDense(rows+hybrid.Basis, hybrid.Basis, nil), mat.NewVecDense(rows+hybrid.Basis, nil)
	var x [hybrid.Basis]float64
	for i := range features {
		features[i].Expand(&x)
		a.SetRow(i, x[:])
		b.SetVec(i, math.Log2(float64(max(times[i], 1))))
	}
	for i := 1; i < hybrid.Basis; i++ {
		a.Set(rows+i, i, math.Sqrt(ridge*float64(rows)))
	}
	var c mat.VecDense
	if err := c.SolveVec(a, b); err != nil {
		if _, ill := err.(mat.Condition); !ill {
			return nil, err
		}
	}
	return slices.Clone(c.RawVector().Data), nil
}
