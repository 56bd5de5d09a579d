package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
)

// A conjunction continued from any documents has the hits that a filter of these documents
// leaves, whatever is said of the terms done.
func TestAmong(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(91, 92))
	n := 6000
	deleted := map[int]bool{}
	for range n / 10 {
		deleted[rng.IntN(n)] = true
	}
	c := newCollection(t, querytest.ZipfDocs(rng, n, 300, 20), deleted, query.DefaultParams(), n/4, n/3)
	hits, empty := 0, 0
	for range 300 {
		var words []string
		for range 1 + rng.IntN(5) {
			words = append(words, fmt.Sprintf("w%d", rng.IntN(1+rng.IntN(40))))
		}
		s := c.searchers[rng.IntN(len(c.searchers))]
		docs, err := matchesOf(s, Query{RawTerms: querytest.Terms(words[:1+rng.IntN(len(words))]...), Mode: query.ModeAnd})
		if err != nil {
			t.Fatal(err)
		}
		if rng.IntN(4) == 0 {
			docs = slices.DeleteFunc(docs, func(uint32) bool { return rng.IntN(3) == 0 })
		}
		if rng.IntN(4) == 0 { // documents of no list, deleted or not there
			docs = append(docs, uint32(n-1), uint32(n+5), 1<<32-1)
			slices.Sort(docs)
			docs = slices.Compact(docs)
		}
		q := Query{RawTerms: querytest.Terms(words...), K: 1 + rng.IntN(30), Mode: query.ModeAnd, Trace: true}
		r, err := s.SearchAmong(context.Background(), q, docs, rng.IntN(len(words)+2))
		if err != nil {
			t.Fatal(err)
		}
		got := r.Hits
		if r.Trace == nil {
			t.Fatal("no trace")
		}
		q.Algorithm, q.Filter, q.Trace = Leapfrog, docset.GlobalOf(slices.Clone(docs)...), false
		want, err := s.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want.Hits) {
			t.Fatalf("%q among %d documents: %s", words, len(docs), difference(want.Hits, got))
		}
		if hits += len(got); len(got) == 0 {
			empty++
		}
	}
	if hits < 1000 || empty > 200 {
		t.Errorf("%d hits, %d queries without hits", hits, empty)
	}
}

func TestAmongRefuses(t *testing.T) {
	s, err := NewSearcher(querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(93, 94)), 200, 30, 10), nil), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	and := Query{RawTerms: querytest.Terms("w1", "w2"), K: 5, Mode: query.ModeAnd}
	or, filtered := and, and
	or.Mode, filtered.Filter = query.ModeOr, docset.GlobalOf()
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		q    Query
		docs []uint32
		held int
		want error
	}{
		{context.Background(), or, []uint32{1, 2}, 1, query.ErrInvalid},
		{context.Background(), filtered, []uint32{1, 2}, 1, query.ErrInvalid},
		{context.Background(), and, []uint32{1, 2}, -1, query.ErrInvalid},
		{context.Background(), and, []uint32{2, 1}, 1, query.ErrInvalid},
		{context.Background(), and, []uint32{1, 1}, 1, query.ErrInvalid},
		{done, and, []uint32{1, 2}, 1, context.Canceled},
	} {
		r, err := s.SearchAmong(c.ctx, c.q, c.docs, c.held)
		if !errors.Is(err, c.want) || r.Hits != nil {
			t.Errorf("%v among %v, %d terms done: %v, %v, want %v", c.q.Mode, c.docs, c.held, r.Hits, err, c.want)
		}
	}
}
