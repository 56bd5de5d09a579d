package search

import (
	"fmt"
	"math"

	"github.com/pinion-index/pinion/query"
)

// oracle is a collection held in memory and scored in float64 straight from the formula. It shares no
// code with the engine.
type oracle struct {
	tf      map[string][]occurring
	length  []int
	deleted map[int]bool
	tokens  int // of the others
}

// occurring is how often a document has a term.
type occurring struct{ doc, tf int }

func newOracle(docs [][]string, deleted map[int]bool) *oracle {
	o := &oracle{tf: map[string][]occurring{}, deleted: deleted}
	for d, words := range docs {
		o.length = append(o.length, len(words))
		if !deleted[d] {
			o.tokens += len(words)
		}
		for _, w := range words {
			all := o.tf[w]
			if n := len(all); n > 0 && all[n-1].doc == d {
				all[n-1].tf++
			} else {
				o.tf[w] = append(all, occurring{d, 1})
			}
		}
	}
	return o
}

// scores returns the score of every document that matches.
func (o *oracle) scores(terms []string, mode query.Mode, k int, p query.Params, filter func(int) bool) map[int]float64 {
	count, sum := make([]int, len(o.length)), make([]float64, len(o.length))
	n := float64(len(o.length) - len(o.deleted))
	avg := float64(o.tokens) / n
	for _, t := range terms {
		df := 0.0
		for _, x := range o.tf[t] {
			if !o.deleted[x.doc] {
				df++
			}
		}
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		for _, x := range o.tf[t] {
			count[x.doc]++
			f := float64(x.tf)
			sum[x.doc] += idf * f * (p.K1 + 1) / (f + p.K1*(1-p.B+p.B*float64(o.length[x.doc])/avg))
		}
	}
	score, all := map[int]float64{}, map[int]float64{}
	for d, has := range count {
		if has == 0 || o.deleted[d] || filter != nil && !filter(d) {
			continue
		}
		if score[d] = sum[d]; has == len(terms) {
			all[d] = sum[d]
		}
	}
	if mode == query.ModeAnd || mode == query.ModeAndOr && len(all) >= k {
		return all
	}
	return score
}

// check compares hits with the oracle: scores to a relative 1e-5; order and completeness except
// among documents whose scores are closer than that.
func (o *oracle) check(hits []Hit, scores map[int]float64, k int) error {
	if want := min(k, len(scores)); len(hits) != want {
		return fmt.Errorf("%d hits, want %d", len(hits), want)
	}
	const tol = 1e-5
	seen := map[int]bool{}
	for i, h := range hits {
		want, ok := scores[int(h.Doc)]
		if !ok || seen[int(h.Doc)] {
			return fmt.Errorf("hit %d is document %d, which does not match or was given before", i, h.Doc)
		}
		seen[int(h.Doc)] = true
		if math.Abs(float64(h.Score)-want) > tol*want+1e-12 {
			return fmt.Errorf("document %d scores %v, want %v", h.Doc, h.Score, want)
		}
		if i > 0 && (h.Score > hits[i-1].Score || h.Score == hits[i-1].Score && h.Doc <= hits[i-1].Doc) {
			return fmt.Errorf("hits %d and %d are out of order: %v, %v", i-1, i, hits[i-1], h)
		}
	}
	if len(hits) == 0 {
		return nil
	}
	last := float64(hits[len(hits)-1].Score)
	for d, s := range scores {
		if !seen[d] && s > last*(1+2*tol)+1e-12 {
			return fmt.Errorf("document %d with score %v is missing; the last hit has %v", d, s, last)
		}
	}
	return nil
}
