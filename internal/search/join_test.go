package search_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// Several indexes joined answer as one that has the documents of all: trees have the hits of the oracle to the bit.
func TestJoinedTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(111, 112))
	docs := books(rng, 400)
	r := &treeDrawer{Rand: rng, dots: true}
	for d := range docs {
		r.ids = append(r.ids, fmt.Append(nil, d))
	}
	var parts []*reader.Snapshot
	for _, to := range []int{150, 151, 151, 400} { // one of a single document, and one without any
		from := 0
		for _, p := range parts {
			from += int(p.Stats().Docs)
		}
		parts = append(parts, libraryFrom(t, writer.Options{}, docs[from:to], from, 100).Snapshot())
	}
	joined, err := reader.Join(parts...)
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	for _, p := range parts { // what is joined stays open
		p.Close()
	}
	trees := longtest.Count(300, 3000)
	r.agree(t, joined, docs, trees)
}

// Documents of the same id in several indexes all count: the ids filter finds each of them.
func TestJoinedIDs(t *testing.T) {
	rng := rand.New(rand.NewPCG(113, 114))
	docs := books(rng, 60)
	for i := range docs {
		docs[i].Deleted = false
	}
	a, b := library(t, writer.Options{}, docs, 25).Snapshot(), library(t, writer.Options{}, docs, 60).Snapshot()
	joined, err := reader.Join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	s, err := search.NewSearcher(joined, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n, err := s.Count(t.Context(), search.Query{Node: query.Bool{Must: []query.Node{query.All{}}, Filter: []query.Node{query.IDs{"7", "59"}}}})
	if err != nil || n != 4 {
		t.Errorf("%d documents, %v, want 4", n, err)
	}
	if doc, ok, err := joined.FindID([]byte("7")); doc != 67 || !ok || err != nil {
		t.Errorf("document %d, %v, %v, want that of the last index", doc, ok, err)
	}
}

// A part searched with the statistics of the whole has the hits that the whole has among its documents, with the same
// scores; and so has a whole with those of a part.
func TestStatistics(t *testing.T) {
	rng := rand.New(rand.NewPCG(115, 116))
	docs := books(rng, 500)
	r := &treeDrawer{Rand: rng, dots: true, terms: map[string][]string{}, docs: docs, parts: true}
	for d := range docs {
		r.ids = append(r.ids, fmt.Append(nil, d))
	}
	a, b := libraryFrom(t, writer.Options{}, docs[:200], 0, 90).Snapshot(), libraryFrom(t, writer.Options{}, docs[200:], 200, 500).Snapshot()
	whole, err := reader.Join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	over := func(s, statistics *reader.Snapshot) *search.Searcher {
		x, err := search.NewSearcher(s, search.Options{Statistics: statistics})
		if err != nil {
			t.Fatal(err)
		}
		second, err := x.Retain()
		if err != nil {
			t.Fatal(err)
		}
		x.Close()
		t.Cleanup(func() { second.Close() })
		return second
	}
	all, first, second := over(whole, nil), over(a, whole), over(b, whole)
	same, alone, odd := over(a, a), over(a, nil), over(whole, a)
	whole.Close()
	p, err := pool.New(first, pool.Options{Workers: 2, Model: pool.FineGrained, TaskPostings: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	hits := func(x search.Executor, node query.Node) []search.Hit {
		got, err := x.Execute(t.Context(), []search.Query{{Node: node, K: len(docs)}})
		if err != nil {
			t.Fatalf("%s: %v", shown(node), err)
		}
		return got[0].Hits
	}
	trees := 2000
	if testing.Short() {
		trees = 300
	}
	for range trees {
		node, _ := r.node(r.IntN(4))
		var parts [2][]search.Hit
		for _, h := range hits(all, node) {
			part := min(int(h.Doc/200), 1)
			h.Doc -= uint32(part) * 200
			parts[part] = append(parts[part], h)
		}
		for i, x := range []search.Executor{first, second, p} {
			if got := hits(x, node); !slices.Equal(got, parts[i%2]) {
				t.Fatalf("%s: executor %d has %d hits %v, want %d %v", shown(node), i, len(got), got[:min(5, len(got))], len(parts[i%2]), parts[i%2][:min(5, len(parts[i%2]))])
			}
		}
		if got, want := hits(same, node), hits(alone, node); !slices.Equal(got, want) {
			t.Fatalf("%s: with its own statistics %v, want %v", shown(node), got, want)
		}
		var some []search.Hit // of a, by its statistics
		for _, h := range hits(odd, node) {
			if h.Doc < 200 {
				some = append(some, h)
			}
		}
		if want := hits(alone, node); !slices.Equal(some, want) {
			t.Fatalf("%s: the whole with statistics of a part has %v, want %v", shown(node), some, want)
		}
	}
}

func TestStatisticsRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(117, 118))
	a := library(t, writer.Options{}, books(rng, 10), 25).Snapshot()
	b := querytest.Index(t, querytest.ZipfDocs(rng, 10, 5, 5), nil)
	if _, err := search.NewSearcher(a, search.Options{Statistics: b}); !errors.Is(err, query.ErrInvalid) {
		t.Errorf("another schema: %v", err)
	}
	c := library(t, writer.Options{}, books(rng, 10), 25).Snapshot()
	c.Close()
	if _, err := search.NewSearcher(a, search.Options{Statistics: c}); !errors.Is(err, query.ErrClosed) {
		t.Errorf("a closed snapshot: %v", err)
	}
}
