package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// matcher says whether a document matches, given its number and words.
type matcher func(d int, has []string) bool

// treeWords are the words of the documents of TestCountTrees, with how many documents there are to one of each.
var treeWords = map[string]int{"all": 1, "half": 2, "fifth": 5, "some": 20, "mid": 90, "rare": 400, "few": 1500, "nowhere": 1 << 40}

// drawnTree draws a node and what it matches. Nodes with an AtLeast above 1 have different ones.
func drawnTree(rng *rand.Rand, words []string, depth int) (query.Node, matcher) {
	term := func(w string) (query.Node, matcher) {
		return query.Term{Text: w}, func(_ int, has []string) bool { return slices.Contains(has, w) }
	}
	draw := func(n int) (nodes []query.Node, match []matcher) {
		for range n {
			node, m := drawnTree(rng, words, depth-1)
			nodes, match = append(nodes, node), append(match, m)
		}
		return nodes, match
	}
	count := func(match []matcher, d int, has []string) (n int) {
		for _, m := range match {
			if m(d, has) {
				n++
			}
		}
		return n
	}
	if depth == 0 {
		return term(words[rng.IntN(len(words))])
	}
	switch rng.IntN(9) {
	case 8:
		w := words[rng.IntN(len(words))]
		w = w[:1+rng.IntN(2)]
		return query.Prefix{Text: w, Scored: rng.IntN(2) == 0}, func(_ int, has []string) bool {
			return slices.ContainsFunc(has, func(h string) bool { return strings.HasPrefix(h, w) })
		}
	case 0:
		nodes, match := draw(1 + rng.IntN(3))
		return query.Best{Of: nodes, Tie: 0.3}, func(d int, has []string) bool { return count(match, d, has) > 0 }
	case 1:
		node, match := drawnTree(rng, words, depth-1)
		return query.Const{Node: node}, match
	case 2:
		if rng.IntN(3) == 0 {
			return query.All{}, func(int, []string) bool { return true }
		}
		a, b := words[rng.IntN(len(words))], words[rng.IntN(len(words))]
		return query.Match{Text: a + " " + b, Mode: query.ModeAnd}, func(_ int, has []string) bool { return slices.Contains(has, a) && slices.Contains(has, b) }
	case 3:
		var b query.Bool
		var match []matcher
		for _, w := range rng.Perm(len(words))[:2+rng.IntN(len(words)-1)] {
			n, m := term(words[w])
			b.Should, match = append(b.Should, n), append(match, m)
		}
		b.AtLeast = 2 + rng.IntN(len(b.Should))
		return b, func(d int, has []string) bool { return count(match, d, has) >= b.AtLeast }
	}
	var b query.Bool
	var must, should, not []matcher
	b.Must, must = draw(rng.IntN(3))
	b.Should, should = draw(rng.IntN(4))
	b.MustNot, not = draw(rng.IntN(3) / 2)
	for rng.IntN(3) == 0 {
		f, m := drawnFilter(rng, words, depth)
		b.Filter, must = append(b.Filter, f), append(must, m)
	}
	if len(must)+len(should) == 0 {
		return term(words[rng.IntN(len(words))])
	}
	b.AtLeast = rng.IntN(2)
	least := b.AtLeast
	if len(must) == 0 {
		least = 1
	}
	return b, func(d int, has []string) bool {
		return count(must, d, has) == len(must) && count(should, d, has) >= least && count(not, d, has) == 0
	}
}

// drawnFilter draws a filter and what it passes.
func drawnFilter(rng *rand.Rand, words []string, depth int) (query.Node, matcher) {
	in := map[int]bool{}
	for range 1 << rng.IntN(12) {
		in[rng.IntN(6000)] = true
	}
	passes := func(d int, _ []string) bool { return in[d] }
	switch rng.IntN(3) {
	case 0:
		n, m := drawnTree(rng, words, depth-1)
		return n, m
	case 1:
		ids := query.IDs{"no such id"}
		for d := range in {
			ids = append(ids, fmt.Sprintf("d%07d", d))
		}
		return ids, passes
	}
	var docs []uint32
	for d := range in {
		docs = append(docs, uint32(d))
	}
	return query.DocsOf(slices.Values(docs)), passes
}

// Counts and matches of trees are those of looking at every document.
func TestCountTrees(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(121, 122))
	docs := make([][]string, 6000)
	var words []string
	for w := range treeWords {
		words = append(words, w)
	}
	slices.Sort(words)
	for d := range docs {
		docs[d] = []string{"filler"}
		for _, w := range words {
			if rng.IntN(treeWords[w]) == 0 {
				docs[d] = append(docs[d], w)
			}
		}
	}
	deleted := []int{0, 5, 63, 64, 3000, 5999}
	for range 300 {
		deleted = append(deleted, rng.IntN(len(docs)))
	}
	slices.Sort(deleted)
	deleted = slices.Compact(deleted)
	for _, snapshot := range []*reader.Snapshot{querytest.Index(t, docs, nil), querytest.Index(t, docs, deleted, 100, 170, 4000)} {
		for _, dense := range []int{0, -1} {
			s, err := search.NewSearcher(snapshot, search.Options{DenseBytes: dense})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			p, err := pool.New(s, pool.Options{Workers: 2, Model: pool.FineGrained})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.Close)
			gone := deleted
			if snapshot.Stats().Live == uint64(len(docs)) {
				gone = nil
			}
			for range 150 {
				var q search.Query
				var match matcher
				q.Node, match = drawnTree(rng, words, 1+rng.IntN(4))
				if rng.IntN(4) == 0 {
					lo := uint32(rng.IntN(3000))
					q.Filter = docset.NewGlobal(docset.Range(lo, uint32(3000+rng.IntN(3000))))
				}
				var want []uint32
				for d, has := range docs {
					if _, is := slices.BinarySearch(gone, d); !is && (q.Filter == nil || q.Filter.Contains(uint32(d))) && match(d, has) {
						want = append(want, uint32(d))
					}
				}
				checkMatches(t, s, p, q, want)
			}
		}
	}
}

// checkMatches checks what s and p count, and that the matches of s are those wanted.
func checkMatches(t *testing.T, s *search.Searcher, p *pool.Pool, q search.Query, want []uint32) {
	t.Helper()
	var got []uint32
	for doc, err := range s.Matches(t.Context(), q) {
		if err != nil {
			t.Fatalf("%+v: %v", q.Node, err)
		}
		got = append(got, doc)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v: %d matches, want %d", q.Node, len(got), len(want))
	}
	n, err := s.Count(t.Context(), q)
	m, err2 := p.Count(t.Context(), q)
	if n != uint64(len(want)) || m != n || err != nil || err2 != nil {
		t.Errorf("%+v: counted %d and %d, %v, %v, want %d", q.Node, n, m, err, err2, len(want))
	}
	q.Total, q.K = true, 7
	a, err := s.Search(t.Context(), q)
	b, err2 := p.Search(t.Context(), q)
	if a.Total != uint64(len(want)) || b.Total != a.Total || err != nil || err2 != nil || len(a.Hits) != min(7, len(want)) || !slices.Equal(a.Hits, b.Hits) {
		t.Errorf("%+v: totals %d and %d of %d and %d hits, %v, %v, want %d", q.Node, a.Total, b.Total, len(a.Hits), len(b.Hits), err, err2, len(want))
	}
}
