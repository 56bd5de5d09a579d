package synth

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
)

// QuerySpec describes a query log.
type QuerySpec struct {
	Queries int
	// Least and Most bound, approximately, the share of the documents that contain a
	// term. Its logarithm is distributed uniformly between them.
	Least, Most float64
	// MinTerms and MaxTerms bound the number of distinct terms of a query. From 2 on,
	// every two more terms halve the number of queries, as in logs of web search
	// engines.
	MinTerms, MaxTerms int
	Seed               uint64
}

// DefaultQueries has terms about as frequent as those of web queries, up to common
// words. LongQueries has only terms with long lists.
var (
	DefaultQueries = QuerySpec{Queries: 2000, Least: 0.0003, Most: 0.4, MinTerms: 2, MaxTerms: 10, Seed: 1}
	LongQueries    = QuerySpec{Queries: 2000, Least: 0.01, Most: 0.4, MinTerms: 2, MaxTerms: 10, Seed: 2}
)

// Queries draws queries. Three in four of a query's terms have its topic.
func (c *Collection) Queries(q QuerySpec) [][]string {
	rng := rand.New(rand.NewPCG(c.spec.Seed, q.Seed<<1|1))
	out := make([][]string, q.Queries)
	for i := range out {
		topic := rng.IntN(c.spec.Topics)
		n := q.MinTerms
		for n < q.MaxTerms && rng.Float64() < math.Sqrt2/2 {
			n++
		}
		var ranks []int
		for try := 0; len(ranks) < n && try < 100*n; try++ {
			own := rng.IntN(4) > 0
			part := math.Exp(math.Log(q.Least) + rng.Float64()*math.Log(q.Most/q.Least))
			if r := c.rankOf(part, topic, own); !slices.Contains(ranks, r) {
				ranks = append(ranks, r)
			}
		}
		for _, r := range ranks {
			out[i] = append(out[i], string(c.Term(nil, r)))
		}
	}
	return out
}

// rankOf returns the rank of a term that approximately that share of the documents
// contain, of the topic if own is set.
func (c *Collection) rankOf(part float64, topic int, own bool) int {
	share := -math.Log1p(-min(part, 0.999)) / c.spec.Length
	r := int(max(c.zipf/share-ZipfShift, 0))
	for ; own && r < c.spec.Terms && c.Topic(r) != topic; r++ {
	}
	return min(r, c.spec.Terms-1)
}

// WriteQueries writes queries as lines of qid, tab, terms.
func WriteQueries(w io.Writer, queries [][]string) error {
	b := bufio.NewWriter(w)
	for i, q := range queries {
		fmt.Fprintf(b, "%d\t", i+1)
		for j, t := range q {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(t)
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}
