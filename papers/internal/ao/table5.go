package ao

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/pinion-index/pinion/internal/codec/lrc"
	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/coding"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

var lengths5 = []string{"100K", "200K", "400K", "800K", "1M", "2M"}

var table5 = paper.Experiment{
	Name: "ao-tab5", Number: "Table 5", Title: "The bound for the bits of LRC, and the bits of lists",
	Data: "uniform lists below 2^24; the paper's bits are of real lists of BDR", Claims: []int{16},
	Paper: paper.Values{}.Grid("bits a docID", lengths5, "bound | 17 17 16 16 16 15", "LRC | 17 17 17 16 15 15"),
	CPU: func(_ context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for i, n := range []int{100_000, 200_000, 400_000, 800_000, 1_000_000, 2_000_000} {
			const m, sigma = 1 << 24, 1e-5
			row := func(series string, v float64) {
				rows = append(rows, paper.Row{Metric: "bits a docID", Series: series, At: lengths5[i], X: float64(n), Value: v, Unit: "bits"})
			}
			row("bound", math.Ceil(math.Log2(math.Pow(centralMoment(22, (n+1)/2, n, m)/sigma, 1./22))))
			docs := synthetic.Uniform(5, n, m)
			l, err := coding.Scheme{Kind: coding.LRC, Segment: 256}.Encode(docs)
			if err != nil {
				return nil, err
			}
			row("LRC", float64(l.Bits())/float64(n))
			size, err := lrc.Codec{}.DocsSize(docs)
			if err != nil {
				return nil, err
			}
			row("the engine's lrc", 8*float64(size)/float64(n))
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		most := 0.0
		for _, at := range lengths5 {
			bound, _ := t.Get("bits a docID", "bound", at)
			ours, _ := t.Get("bits a docID", "LRC", at)
			most = max(most, math.Abs(bound-ours))
		}
		return []paper.Verdict{paper.Judge(16, most <= 2, most <= 4, "bound and bits are at most %s apart: uniform lists stay below it by more than the paper's, which are of BDR", fmt.Sprintf("%.1f", most))}
	},
	Plot: paper.Plot{Kind: chart.Bars},
}

// centralMoment returns the r-th central moment, r even, of element i of a random ascending
// list of n out of 1 to m: theorems H.1 and H.3, in exact arithmetic.
func centralMoment(r, i, n, m int) float64 {
	rising := make([]*big.Rat, r+1) // E[X(X+1)...(X+p-1)]
	rising[0] = big.NewRat(1, 1)
	for p := range r {
		step := big.NewRat(int64(i+p), int64(n+1+p))
		step.Mul(step, big.NewRat(int64(m+1+p), 1))
		rising[p+1] = step.Mul(step, rising[p])
	}
	power := make([]*big.Rat, r+1) // E[X^l]
	for l := range power {
		power[l] = new(big.Rat)
		for j := 0; j <= l; j++ {
			term := new(big.Rat).SetInt(stirling(l, j))
			term.Mul(term, rising[j])
			if (l-j)%2 == 1 {
				term.Neg(term)
			}
			power[l].Add(power[l], term)
		}
	}
	mean := new(big.Rat).Set(power[1])
	sum, rest := new(big.Rat), big.NewRat(1, 1) // (-E[X])^(r-l), from l = r down
	for l := r; l >= 0; l-- {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(r), int64(l)))
		term.Mul(term, rest)
		sum.Add(sum, term.Mul(term, power[l]))
		rest = new(big.Rat).Mul(rest, new(big.Rat).Neg(mean))
	}
	f, _ := sum.Float64()
	return f
}

// stirling returns a Stirling number of the second kind.
func stirling(n, k int) *big.Int {
	sum := new(big.Int)
	for j := 0; j <= k; j++ {
		term := new(big.Int).Exp(big.NewInt(int64(j)), big.NewInt(int64(n)), nil)
		term.Mul(term, new(big.Int).Binomial(int64(k), int64(j)))
		if (k-j)%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	return sum.Div(sum, new(big.Int).MulRange(1, int64(max(k, 1))))
}
