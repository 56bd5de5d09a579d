package hybrid

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/query"
)

// Features are what a Model knows of a query: the four of Ding 2009, section 9, and what
// the query asks for. Lengths are document frequencies in the snapshot, in postings.
type Features struct {
	Shortest, Second uint64 // lengths of the two shortest lists; Second is 0 for one term
	Sum              uint64 // of the lengths of all lists
	Terms            int    // lists; of a disjunction those that are not empty
	K                int
	Mode             query.Mode
}

// FeaturesOf returns the features of a query whose terms have lists of the given lengths.
// It sorts lengths.
func FeaturesOf(q *query.Query, lengths []uint64) Features {
	f := Features{K: q.K, Mode: q.Mode}
	slices.Sort(lengths)
	if q.Mode != query.And {
		for len(lengths) > 0 && lengths[0] == 0 {
			lengths = lengths[1:]
		}
	}
	f.Terms = len(lengths)
	if len(lengths) > 0 {
		f.Shortest = lengths[0]
	}
	if len(lengths) > 1 {
		f.Second = lengths[1]
	}
	for _, n := range lengths {
		f.Sum += n
	}
	return f
}

// Basis is the number of terms of the polynomials in Model: 1, six logarithms, and their
// products with each other.
const (
	logs  = 5
	Basis = 1 + logs + logs*(logs+1)/2
)

// Expand sets x to the terms of the polynomial.
func (f *Features) Expand(x *[Basis]float64) {
	v := [logs]float64{
		log2(float64(f.Shortest + 1)),
		log2(float64(f.Second + 1)),
		log2(float64(f.Sum + 1)),
		float64(min(f.Terms, 64)) / 4,
		log2(float64(min(f.K, 1<<20) + 1)),
	}
	x[0] = 1
	n := 1
	for i := range v {
		x[n] = v[i]
		n++
	}
	for i := range v {
		for j := i; j < logs; j++ {
			x[n] = v[i] * v[j] / 16
			n++
		}
	}
}

// log2 is the logarithm to within 0.009: a straight line between powers of two, bent by a
// parabola. It takes 1 ns.
func log2(v float64) float64 {
	b := math.Float64bits(v)
	e := int(b>>52&0x7ff) - 1023
	m := math.Float64frombits(b&(1<<52-1)|1023<<52) - 1 // 0 to 1
	return float64(e) + m + 0.3431*m*(1-m)
}

// exp2 is the inverse of log2 within 1 %.
func exp2(v float64) float64 { return math.Exp2(v) }
