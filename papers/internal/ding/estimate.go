package ding

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/pinion-index/pinion/papers/internal/corpus"
)

// features are what section 9 estimates the time of a query from: the logarithms of the lengths of the shortest
// and the second list and of the sum of all lengths, and the number of terms.
type features [4]float64

// featuresOf returns the features of queries.
func featuresOf(s *corpus.Set, queries [][]int) []features {
	out := make([]features, len(queries))
	for i, q := range queries {
		var lengths []int
		sum := 0
		for _, x := range q {
			lengths = append(lengths, len(s.Lists[x]))
			sum += len(s.Lists[x])
		}
		slices.Sort(lengths)
		log := func(n int) float64 { return math.Log2(float64(n + 1)) }
		out[i] = features{log(lengths[0]), log(lengths[min(1, len(lengths)-1)]), log(sum), float64(len(q))}
	}
	return out
}

// terms returns what the logarithm of a time is linear in: the features, and from wholeFrom queries on their
// products.
func (f *features) terms(products bool) []float64 {
	out := append([]float64{1}, f[:]...)
	for i := range f {
		for j := 0; products && j <= i; j++ {
			out = append(out, f[i]*f[j])
		}
	}
	return out
}

// wholeFrom is from how many queries on products of features are fitted, and ridge what keeps their coefficients
// small.
const wholeFrom, ridge = 50, 0.03

// estimates returns what each query is estimated to take, in seconds: fitted by least squares to every other query,
// of those that it is not among, and within the times that these took.
func estimates(of []features, took []float64) ([]float64, error) {
	out := make([]float64, len(of))
	for half := range 2 {
		var x []float64
		var y []float64
		low, high := math.Inf(1), math.Inf(-1)
		products := len(of)/2 >= wholeFrom
		for i := 1 - half; i < len(of); i += 2 {
			x, y = append(x, of[i].terms(products)...), append(y, math.Log2(took[i]))
			low, high = min(low, math.Log2(took[i])), max(high, math.Log2(took[i]))
		}
		n := len((&features{}).terms(products))
		for i := range n {
			row := make([]float64, n)
			row[i] = ridge
			x, y = append(x, row...), append(y, 0)
		}
		var c mat.VecDense
		if err := c.SolveVec(mat.NewDense(len(y), n, x), mat.NewVecDense(len(y), y)); err != nil {
			return nil, err
		}
		for i := half; i < len(of); i += 2 {
			v := mat.Dot(&c, mat.NewVecDense(n, of[i].terms(products)))
			out[i] = math.Exp2(min(max(v, low), high))
		}
	}
	return out, nil
}

// meanError returns the mean relative error of estimates, in percent.
func meanError(estimates, took []float64) float64 {
	sum := 0.0
	for i, v := range estimates {
		sum += math.Abs(v-took[i]) / took[i]
	}
	return 100 * sum / float64(max(len(took), 1))
}
