package registry

import (
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/internal/regress"
	"github.com/pinion-index/pinion/internal/codec/lrc"
	"github.com/pinion-index/pinion/internal/synthetic"
)

// TestAoTable5 puts beside one another what Ao 2011, table 5, has and what truly random
// lists of the same lengths out of [0, 2^24) take.
//
// The table's first row is no width of a list but a bound for one element (appendix H): the
// least t for which Markov's inequality for the 22nd central moment says that the element
// in the middle of a random list lies further than t from the line through the expected
// docIDs with a probability below 1e-5. It is computed here as the paper does and must
// come out the same. The second row is the mean of all bits that its LRC, ParaPFor's heads
// and exceptions included, took of real lists of about that length.
//
// Ours, on random lists, are the width of the greatest normalised deviation, by the paper's
// definition of lambda from the least-squares line, and all bits of the list by docID.
func TestAoTable5(t *testing.T) {
	const m, sigma = 1 << 24, 1e-5
	for _, c := range []struct {
		n     int
		bound int
		mean  float64
	}{{100000, 17, 17}, {200000, 17, 17}, {400000, 16, 17}, {800000, 16, 16}, {1000000, 16, 15}, {2000000, 15, 15}} {
		docs := synthetic.Uniform(5, c.n, m)
		size, err := lrc.Codec{}.DocsSize(docs)
		if err != nil {
			t.Fatal(err)
		}
		perDoc := float64(size) * 8 / float64(c.n)
		bound := int(math.Ceil(math.Log2(math.Pow(centralMoment(22, (c.n+1)/2, c.n, m)/sigma, 1./22))))
		expected, lambda := deviations(docs, m)
		t.Logf("n %d: bound %d bits, the paper's %d, greatest deviation from the expected line %d; greatest lambda %d, %.2f bits a docID, the paper's mean %.0f",
			c.n, bound, c.bound, expected, lambda, perDoc, c.mean)
		if bound != c.bound {
			t.Errorf("n %d: the bound is %d bits, the paper's %d", c.n, bound, c.bound)
		}
		if expected > bound {
			t.Errorf("n %d: a deviation of %d bits is beyond the bound of %d", c.n, expected, bound)
		}
		if perDoc > c.mean+0.5 {
			t.Errorf("n %d: %.2f bits a docID, the paper's mean %.0f", c.n, perDoc, c.mean)
		}
	}
}

// deviations returns the bits of the greatest distance of docs from the line through
// their expected values and of the greatest lambda about the least-squares line.
func deviations(docs []uint32, m int) (expected, lambda int) {
	l := regress.Fit(docs)
	var dev [lrc.BlockLen]int32
	least, most := int32(math.MaxInt32), int32(math.MinInt32)
	for at := 0; at < len(docs); at += lrc.BlockLen {
		lo, hi := regress.Deviations(dev[:], docs[at:min(at+lrc.BlockLen, len(docs))], l.From(at))
		least, most = min(least, lo), max(most, hi)
	}
	furthest := 0.
	for i, d := range docs {
		furthest = max(furthest, math.Abs(float64(d)+1-float64(m+1)/float64(len(docs)+1)*float64(i+1)))
	}
	return bits.Len(uint(furthest)), bits.Len32(uint32(most - least))
}

// centralMoment returns the r-th central moment, r even, of element i of a random ascending
// list of n out of 1 to m: Ao 2011, theorems H.1 and H.3, in exact arithmetic.
func centralMoment(r, i, n, m int) float64 {
	rising := make([]*big.Rat, r+1) // E[X(X+1)...(X+p-1)]
	rising[0] = big.NewRat(1, 1)
	for p := range r {
		step := new(big.Rat).SetFrac(
			new(big.Int).Mul(big.NewInt(int64(i+p)), big.NewInt(int64(m+1+p))), big.NewInt(int64(n+1+p)))
		rising[p+1] = step.Mul(step, rising[p])
	}
	power := make([]*big.Rat, r+1) // E[X^l]
	stirling := []*big.Int{big.NewInt(1)}
	for l := range power {
		power[l] = new(big.Rat)
		for j, s := range stirling {
			term := new(big.Rat).SetInt(s)
			term.Mul(term, rising[j])
			if (l-j)%2 == 1 {
				term.Neg(term)
			}
			power[l].Add(power[l], term)
		}
		next := make([]*big.Int, len(stirling)+1) // of the second kind
		for j := range next {
			next[j] = new(big.Int)
			if j < len(stirling) {
				next[j].Mul(stirling[j], big.NewInt(int64(j)))
			}
			if j > 0 {
				next[j].Add(next[j], stirling[j-1])
			}
		}
		stirling = next
	}
	sum, minusMean := new(big.Rat), big.NewRat(1, 1) // (-E[X])^(r-l), from l = r down
	for l := r; l >= 0; l-- {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(r), int64(l)))
		term.Mul(term, minusMean)
		sum.Add(sum, term.Mul(term, power[l]))
		minusMean.Mul(minusMean, new(big.Rat).Neg(power[1]))
	}
	f, _ := sum.Float64()
	return f
}
