package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
)

// A disjunction with a filter guesses a threshold from its share of the documents, and is repeated
// if there are not as many hits above it.
func TestGuess(t *testing.T) {
	docs := filterDocs()
	s := searcherOver(t, querytest.Parts(t, docs, nil, bp128.Codec{}), Options{})
	search := func(f *docset.Global) (hits []Hit, passes int) {
		q := Query{RawTerms: querytest.Terms("long"), K: 10, Mode: query.ModeOr, Filter: f, Algorithm: RangeMaxScore, Trace: true}
		res, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range res.Trace.Thresholds {
			if x.Score > res.Hits[9].Score {
				t.Errorf("threshold %g, but hit 10 scores %g", x.Score, res.Hits[9].Score)
			}
		}
		return res.Hits, len(res.Trace.Segments)
	}
	if _, passes := search(every(0, 8000, 2)); passes != 1 {
		t.Errorf("every second document: %d passes, want 1", passes)
	}
	all, _ := search(nil)
	worst := every(0, 8000, 1)
	for range 300 {
		worst = docset.GlobalOf(slices.DeleteFunc(slices.Collect(worst.All()), func(doc uint32) bool {
			return slices.ContainsFunc(all, func(h Hit) bool { return h.Doc == doc })
		})...)
		all, _ = search(worst)
	}
	if _, passes := search(worst); passes != 2 {
		t.Errorf("without the best 3000 documents: %d passes, want 2", passes)
	}
}

// A disjunction of several terms guesses a threshold from the impacts of fewer documents than k, where
// documents are deleted or k lies between those that lists know, and is repeated if there are not as
// many hits above it.
func TestGuessFewer(t *testing.T) {
	docs := filterDocs()
	deleted := map[int]bool{}
	for d := 0; d < len(docs); d += 10 {
		deleted[d] = true
	}
	var apart [][]string // documents with one of two words; those of the rare one score far more
	for d := range 8000 {
		apart = append(apart, slices.Repeat([]string{"common"}, 1+d%2))
		if d%26 == 0 {
			n := 1
			if d < 26*10 {
				n = 9 // the best ten
			}
			apart[d] = append(slices.Repeat([]string{"rare"}, n), slices.Repeat([]string{"filler"}, 20)...)
		}
	}
	best := map[int]bool{0: true, 26: true, 52: true}
	for _, c := range []struct {
		name   string
		docs   [][]string
		gone   map[int]bool
		words  string
		k      int
		passes int
	}{
		{"deletes", docs, deleted, "long middle", 10, 1},
		{"deletes", docs, deleted, "long middle", 100, 1},
		{"deletes", docs, deleted, "long middle", 1000, 1},
		{"no deletes", docs, nil, "long middle", 150, 1},
		{"the best are deleted", apart, best, "rare common", 10, 2},
		{"fewer than k postings", docs, nil, "middle short", 1500, 1},
		{"the best are deleted, one list", apart, best, "rare", 10, 1},
	} {
		s := searcherOver(t, querytest.Parts(t, c.docs, c.gone, bp128.Codec{}), Options{})
		q := Query{RawTerms: querytest.Terms(strings.Fields(c.words)...), K: c.k, Mode: query.ModeOr, Algorithm: Exhaustive}
		want, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		q.Algorithm, q.Trace = RangeMaxScore, true
		got, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Hits, want.Hits) {
			t.Errorf("%s, %q, k %d: other hits", c.name, c.words, c.k)
		}
		if n := len(got.Trace.Segments); n != c.passes {
			t.Errorf("%s, %q, k %d: %d passes, want %d", c.name, c.words, c.k, n, c.passes)
		}
		for _, x := range got.Trace.Thresholds {
			if last := got.Hits[len(got.Hits)-1].Score; len(got.Hits) < c.k || x.Score > last {
				t.Errorf("%s, %q, k %d: threshold %g, but the last of %d hits scores %g", c.name, c.words, c.k, x.Score, len(got.Hits), last)
			}
		}
	}
}
