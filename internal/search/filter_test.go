package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/query"
)

// filterDocs returns documents with lists long enough to have k-th impacts.
func filterDocs() [][]string {
	r := rand.New(rand.NewPCG(5, 6))
	docs := make([][]string, 8000)
	for d := range docs {
		if r.IntN(2) == 0 {
			docs[d] = append(docs[d], slices.Repeat([]string{"long"}, 1+int(r.ExpFloat64()*3))...)
		}
		if r.IntN(6) == 0 {
			docs[d] = append(docs[d], slices.Repeat([]string{"middle"}, 1+r.IntN(4))...)
		}
		if d%200 == 0 {
			docs[d] = append(docs[d], slices.Repeat([]string{"short"}, 1+r.IntN(6))...)
		}
		docs[d] = append(docs[d], slices.Repeat([]string{"filler"}, 5+r.IntN(40))...)
	}
	return docs
}

// every returns a filter of every n-th document from lo up to hi.
func every(lo, hi, n uint32) *docset.Global {
	var docs []uint32
	for d := lo; d < hi; d += n {
		docs = append(docs, d)
	}
	return docset.GlobalOf(docs...)
}

// Answers with filters of many shapes are those of the oracle, whatever thresholds are guessed.
func TestFilters(t *testing.T) {
	longtest.Once(t)
	docs := filterDocs()
	deleted := map[int]bool{3: true, 100: true, 200: true, 4000: true, 7999: true}
	c := newCollection(t, docs, deleted, query.DefaultParams(), 900, 901, 5000)
	var worst []uint32 // all but the best documents of every list
	for d, words := range docs {
		best := false
		for _, w := range []string{"long", "middle", "short"} {
			n := 0
			for _, x := range words {
				if x == w {
					n++
				}
			}
			best = best || n >= 3
		}
		if !best {
			worst = append(worst, uint32(d))
		}
	}
	filters := map[string]*docset.Global{
		"none": nil, "empty": docset.GlobalOf(), "all": every(0, 8000, 1), "outside": every(8000, 9000, 1), "beyond": every(7000, 9000, 1),
		"half": every(0, 8000, 2), "every 7": every(3, 8000, 7), "every 50": every(0, 8000, 50), "every 900": every(11, 8000, 900),
		"one": every(4321, 4322, 1), "interval": every(1000, 3000, 1), "across": every(850, 5100, 1), "last segment": every(5000, 8000, 1),
		"ends": docset.GlobalOf(append(slices.Collect(every(0, 40, 1).All()), slices.Collect(every(7960, 8000, 1).All())...)...), "worst": docset.GlobalOf(worst...),
	}
	for name, f := range filters {
		for _, words := range [][]string{{"long"}, {"short", "long"}, {"long", "middle", "filler"}, {"short", "middle", "long", "nowhere"}} {
			for _, k := range []int{10, 1, 200}[:longtest.Count(1, 3)] {
				for _, mode := range []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr} {
					if err := c.check(t, words, k, mode, f); err != nil {
						t.Errorf("filter %s: %v", name, err)
					}
				}
			}
		}
	}
}
