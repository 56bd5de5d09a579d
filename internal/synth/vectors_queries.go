package synth

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
)

// VectorQuery is a weighted query: distinct terms with weights from 1 to 255.
type VectorQuery struct {
	Terms   []string
	Weights []uint32
}

// VectorQueries describes a log of weighted queries.
type VectorQueries struct {
	Queries int
	// Postings is the sum of the lengths of a query's lists, to about 1 %, as a multiple of the documents.
	Postings float64
	// MinTerms and MaxTerms bound the number of distinct terms, which is distributed evenly.
	MinTerms, MaxTerms int
	Seed               uint64
}

// ShortVectors and LongVectors have 10.7 M and 23.4 M postings a query in DefaultVectors.
var (
	ShortVectors = VectorQueries{Queries: 2000, Postings: 10.7e6 / 8_841_823, MinTerms: 20, MaxTerms: 45, Seed: 1}
	LongVectors  = VectorQueries{Queries: 2000, Postings: 23.4e6 / 8_841_823, MinTerms: 20, MaxTerms: 45, Seed: 2}
)

// Queries draws queries whose terms are as frequent as terms of documents, and exchanges terms until their lists have
// the length that is wanted. Weights are distributed as those of documents.
func (v *Vectors) Queries(q VectorQueries) []VectorQuery {
	rng := rand.New(rand.NewPCG(v.spec.Seed, q.Seed<<1|1))
	out := make([]VectorQuery, q.Queries)
	for i := range out {
		n := min(q.MinTerms+rng.IntN(q.MaxTerms-q.MinTerms+1), v.spec.Terms)
		for _, r := range v.exchange(rng, v.ranks(rng, n), q.Postings) {
			out[i].Terms = append(out[i].Terms, string(v.Term(nil, r)))
			out[i].Weights = append(out[i].Weights, weight(rng))
		}
	}
	return out
}

// ranks draws n distinct ranks.
func (v *Vectors) ranks(rng *rand.Rand, n int) (ranks []int) {
	for len(ranks) < n {
		if r := v.rank(rng); !slices.Contains(ranks, r) {
			ranks = append(ranks, r)
		}
	}
	return ranks
}

// rank draws the rank of a posting, about.
func (v *Vectors) rank(rng *rand.Rand) int {
	r := v.shift * (math.Pow(1+float64(v.spec.Terms)/v.shift, rng.Float64()) - 1)
	return min(int(r), v.spec.Terms-1)
}

// exchange replaces ranks by others as long as the sum of their shares is off by more than 1 % and comes closer to the
// one that is wanted.
func (v *Vectors) exchange(rng *rand.Rand, ranks []int, want float64) []int {
	sum := 0.0
	for _, r := range ranks {
		sum += v.Share(r)
	}
	for try := 0; math.Abs(sum-want) > want/100 && try < 10_000; try++ {
		i, r := rng.IntN(len(ranks)), v.rank(rng)
		if slices.Contains(ranks, r) {
			continue
		}
		if with := sum - v.Share(ranks[i]) + v.Share(r); math.Abs(with-want) < math.Abs(sum-want) {
			ranks[i], sum = r, with
		}
	}
	return ranks
}

// WriteVectorQueries writes queries as lines of JSON with "id" and "vector", an object of terms with their weights.
func WriteVectorQueries(w io.Writer, queries []VectorQuery) error {
	b := bufio.NewWriter(w)
	for i, q := range queries {
		fmt.Fprintf(b, `{"id":"%d","vector":{`, i+1)
		for j, t := range q.Terms {
			if j > 0 {
				b.WriteByte(',')
			}
			name, err := json.Marshal(t)
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "%s:%d", name, q.Weights[j])
		}
		b.WriteString("}}\n")
	}
	return b.Flush()
}
