package corpus

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/synth"
)

// LogSpec describes a query log by what the papers say of theirs: how many terms queries
// have, and how long their lists are.
type LogSpec struct {
	Queries int
	Lengths []float64 // share of the queries with 1, 2, ... terms
	First   float64   // mean length of a query's shortest list
	Spread  float64   // standard deviation of the logarithm of that
	// Skew shapes the other lists: the logarithm of their length, from that of the first
	// list to that of all documents, is distributed as the Skew-th power of a uniform
	// variable. 1 means evenly; less means longer lists.
	Skew float64
	// Floor is the least of that share of the way, from 0 to 1.
	Floor float64
	// Own is the share of the terms that have the query's topic.
	Own  float64
	Seed uint64
}

// Scaled returns the log of a collection with a share of the documents: first lists shrink with it,
// and the number of queries by its square root, to at least 100.
func (q LogSpec) Scaled(share float64) LogSpec {
	q.First = max(q.First*share, 10)
	q.Queries = max(int(float64(q.Queries)*math.Sqrt(share)), 100)
	return q
}

// Ranks draws queries as ranks of a collection's terms, in no order. The number of documents with
// a term is estimated from a sample of lists.
func (q LogSpec) Ranks(c *synth.Collection) [][]int {
	spec := c.Spec()
	rng := rand.New(rand.NewPCG(spec.Seed, q.Seed<<1|1))
	curve := newCurve(c)
	most := 0.95 * float64(spec.Docs)
	mu := math.Log(q.First) - q.Spread*q.Spread/2
	out := make([][]int, q.Queries)
	for i := range out {
		topic, n := rng.IntN(spec.Topics), pick(rng, q.Lengths)
		first := min(max(math.Exp(mu+q.Spread*rng.NormFloat64()), 2), most/2)
		for try := 0; len(out[i]) < n && try < 100*n; try++ {
			df := first
			if len(out[i]) > 0 {
				df *= math.Pow(most/first, q.Floor+(1-q.Floor)*math.Pow(rng.Float64(), q.Skew))
			}
			r := curve.rank(df)
			if rng.Float64() < q.Own {
				for r+1 < spec.Terms && c.Topic(r) != topic {
					r++
				}
			}
			if r = min(r, spec.Terms-1); !slices.Contains(out[i], r) {
				out[i] = append(out[i], r)
			}
		}
	}
	return out
}

// pick returns a number of terms.
func pick(rng *rand.Rand, shares []float64) int {
	sum := 0.0
	for _, s := range shares {
		sum += s
	}
	u := rng.Float64() * sum
	for i, s := range shares {
		if u -= s; u < 0 {
			return i + 1
		}
	}
	return len(shares)
}

// curve relates ranks to numbers of documents.
type curve struct{ ranks, docs []float64 } // logarithms; docs descend

// newCurve measures lists at ranks that grow by a factor.
func newCurve(c *synth.Collection) curve {
	var ranks []int
	for r := 0; r < c.Spec().Terms; r = max(r+1, int(1.6*float64(r))) {
		ranks = append(ranks, r)
	}
	var out curve
	docs := make([]float64, len(ranks))
	_ = c.Draw(context.Background(), ranks, 0, func(i int, p format.Postings) { docs[i] = math.Log(float64(p.Len()) + 0.5) })
	for i := range docs { // a smooth, descending curve
		sum := 0.0
		lo, hi := max(i-1, 0), min(i+2, len(docs))
		for _, d := range docs[lo:hi] {
			sum += d
		}
		v := sum / float64(hi-lo)
		if i > 0 {
			v = min(v, out.docs[i-1]-1e-9)
		}
		out.ranks, out.docs = append(out.ranks, math.Log(float64(ranks[i])+synth.ZipfShift)), append(out.docs, v)
	}
	return out
}

// rank returns the rank of a term that about df documents have.
func (v curve) rank(df float64) int {
	y := math.Log(df)
	i := 1
	for i < len(v.docs)-1 && v.docs[i] > y {
		i++
	}
	part := (v.docs[i-1] - y) / (v.docs[i-1] - v.docs[i])
	part = min(max(part, 0), 1)
	return int(max(math.Exp(v.ranks[i-1]+part*(v.ranks[i]-v.ranks[i-1]))-synth.ZipfShift, 0))
}
