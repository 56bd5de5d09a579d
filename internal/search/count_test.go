package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/posting"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
)

// countedWords are how many documents there are to one that has the word.
var countedWords = map[string]float64{"all": 1, "most": 1.2, "half": 2, "fifth": 5, "some": 40, "mid": 90, "fewer": 150, "rare": 700, "few": 3000, "once": 20000}

// countedDocs draws documents of these words. In the first quarter the words come in runs.
func countedDocs(rng *rand.Rand, n int) [][]string {
	docs := make([][]string, n)
	for w, per := range countedWords {
		here := false
		for d := range docs {
			if d > n/4 || d%64 == 0 {
				here = rng.Float64()*per < 1
			}
			if here {
				docs[d] = append(docs[d], w)
			}
		}
	}
	for d := range docs {
		docs[d] = append(docs[d], "filler")
	}
	return docs
}

// drawnCount draws a query, and which documents match it.
func drawnCount(rng *rand.Rand, words []string, docs [][]string, deleted map[int]bool) (Query, []uint32) {
	q := Query{Mode: query.Mode(rng.IntN(2))}
	var in []string
	for range 1 + rng.IntN(5) {
		w := words[rng.IntN(len(words))]
		if rng.IntN(20) == 0 {
			w = "nowhere"
		}
		in = append(in, w)
	}
	q.RawTerms = querytest.Terms(in...)
	if rng.IntN(3) == 0 {
		var some []uint32
		lo := rng.IntN(len(docs))
		hi := lo + rng.IntN(len(docs)-lo)
		for d := lo; d <= hi; d += 1 + rng.IntN(1+rng.IntN(1+rng.IntN(2000))) {
			some = append(some, uint32(d))
		}
		q.Filter = docset.GlobalOf(some...)
	}
	var matches []uint32
	for d, has := range docs {
		n := 0
		for _, w := range in {
			if slices.Contains(has, w) {
				n++
			}
		}
		if (n == len(in) || n > 0 && q.Mode == query.ModeOr) && !deleted[d] && (q.Filter == nil || q.Filter.Contains(uint32(d))) {
			matches = append(matches, uint32(d))
		}
	}
	return q, matches
}

// Counts and matches are those of looking at every document, whatever the codec, the segments, the deletes, and what of
// the lists is cached.
func TestCounts(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(101, 102))
	docs := countedDocs(rng, 7000)
	deleted := map[int]bool{}
	for range 400 {
		deleted[rng.IntN(len(docs))] = true
	}
	for d := 4000; d < 4200; d++ {
		deleted[d] = true
	}
	words := []string{"filler"}
	for w := range countedWords {
		words = append(words, w)
	}
	slices.Sort(words)
	type collection struct {
		s       *Searcher
		deleted map[int]bool
		queries int
	}
	all := map[string]collection{}
	for _, c := range registry.All() {
		all["codec "+c.ID().String()] = collection{searcherOver(t, querytest.Parts(t, docs, nil, c), Options{}), nil, 6}
	}
	for _, dense := range []int{0, -1, 2} {
		for _, gone := range []map[int]bool{nil, deleted} {
			for _, cuts := range [][]int{nil, {1, 77, 2000, 2100}} {
				s := searcherOver(t, querytest.Parts(t, docs, gone, bp128.Codec{}, cuts...), Options{DenseBytes: dense})
				all[fmt.Sprintf("%d bytes cached, %d deleted, %d cuts", dense, len(gone), len(cuts))] = collection{s, gone, 100}
			}
		}
	}
	for name, c := range all {
		for range c.queries {
			q, want := drawnCount(rng, words, docs, c.deleted)
			n, err := c.s.Count(t.Context(), q)
			if err != nil || n != uint64(len(want)) {
				t.Errorf("%s: %q, mode %v, filter %v: %d matches, %v, want %d", name, q.RawTerms, q.Mode, q.Filter != nil, n, err, len(want))
			}
			got, err := matchesOf(c.s, q)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %q, mode %v, filter %v: %d matches, %v, want %d", name, q.RawTerms, q.Mode, q.Filter != nil, len(got), err, len(want))
			}
			total(t, c.s, q, uint64(len(want)))
		}
	}
}

// total checks that a search with a total gives it beside the hits of one without, also on a later page.
func total(t *testing.T, s *Searcher, q Query, want uint64) {
	t.Helper()
	for range 2 {
		plain, err := s.Search(t.Context(), q)
		q.Total = true
		r, err2 := s.Search(t.Context(), q)
		q.Total = false
		if err != nil || err2 != nil || r.Total != want || plain.Total != 0 || !slices.Equal(r.Hits, plain.Hits) {
			t.Errorf("%q, mode %v: total %d, %v, want %d; hits %v, without a total %v, %v", q.RawTerms, q.Mode, r.Total, err2, want, r.Hits, plain.Hits, err)
		}
		if len(plain.Hits) == 0 {
			return
		}
		last := plain.Hits[len(plain.Hits)-1]
		q.After = &Position{Score: last.Score, Doc: last.Doc}
	}
}

// Counts of conjunctions have lists cached in which they look up many documents, and no others.
func TestCountCaches(t *testing.T) {
	docs := countedDocs(rand.New(rand.NewPCG(5, 6)), 20000)
	s := searcherOver(t, querytest.Parts(t, docs, nil, bp128.Codec{}), Options{})
	for _, c := range []struct {
		words []string
		lists int // that are cached in the end
	}{{[]string{"rare", "half"}, 0}, {[]string{"rare", "all", "most"}, 0}, {[]string{"fifth", "half"}, 2}, {[]string{"rare", "fifth", "most"}, 2}} {
		for range 2 * posting.DenseAsks {
			if _, err := s.Count(t.Context(), Query{RawTerms: querytest.Terms(c.words...), Mode: query.ModeAnd}); err != nil {
				t.Fatal(err)
			}
		}
		if n, _ := s.engine.Dense(0); n != c.lists {
			t.Errorf("%d lists are cached after counts of %q, want %d", n, c.words, c.lists)
		}
	}
}

// A count ends with its context, and a count that needs no documents too.
func TestCountCancelled(t *testing.T) {
	s, _ := simpleSearcher(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, words := range [][]string{{"w0"}, {"w0", "w1"}, {"nowhere"}, nil} {
		if n, err := s.Count(ctx, Query{RawTerms: querytest.Terms(words...)}); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %d, %v", words, n, err)
		}
	}
}
