package pool

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Every model counts as looking at every document does, alone and beside hits, which do not change.
func TestPoolCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(111, 112))
	docs := querytest.ZipfDocs(rng, 4000, 60, 10)
	deleted := []int{3, 4, 5, 900, 2500, 3999}
	s, err := search.NewSearcher(querytest.Index(t, docs, deleted, 100, 2600), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var queries []search.Query
	var want []uint64
	for range 60 {
		var words []string
		for range 1 + rng.IntN(4) {
			words = append(words, "w"+strconv.Itoa(rng.IntN(64)))
		}
		q := search.Query{RawTerms: querytest.Terms(words...), Mode: query.Mode(rng.IntN(2)), Total: true, K: 1 + rng.IntN(9)}
		if rng.IntN(3) == 0 {
			lo := uint32(rng.IntN(2000))
			q.Filter = docset.NewGlobal(docset.Range(lo, uint32(2000+rng.IntN(2000))))
		}
		n := uint64(0)
		for d, has := range docs {
			lacks := func(w string) bool { return !slices.Contains(has, w) }
			matches := !slices.ContainsFunc(words, lacks)
			if q.Mode == query.ModeOr {
				matches = slices.ContainsFunc(words, func(w string) bool { return !lacks(w) })
			}
			if matches && !slices.Contains(deleted, d) && (q.Filter == nil || q.Filter.Contains(uint32(d))) {
				n++
			}
		}
		queries, want = append(queries, q), append(want, n)
	}
	for m := range FineGrained + 1 {
		p, err := New(s, Options{Workers: 3, Model: m, TaskPostings: 100})
		if err != nil {
			t.Fatal(err)
		}
		results, err := p.Execute(t.Context(), queries)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range queries {
			r, err := p.Search(t.Context(), q)
			if err != nil || r.Total != want[i] || results[i].Total != want[i] || !slices.Equal(r.Hits, results[i].Hits) {
				t.Errorf("%v: %q: totals %d and %d, %v, want %d", m, q.RawTerms, r.Total, results[i].Total, err, want[i])
			}
			if n, err := p.Count(t.Context(), q); err != nil || n != want[i] {
				t.Errorf("%v: %q: %d, %v, want %d", m, q.RawTerms, n, err, want[i])
			}
			q.Total = false
			if hits, err := p.AppendHits(t.Context(), nil, &q); err != nil || !slices.Equal(hits, r.Hits) {
				t.Errorf("%v: %q: %v without a total, %v, want %v", m, q.RawTerms, hits, err, r.Hits)
			}
		}
		q := search.Query{Text: "w1 w2"}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if n, err := p.Count(ctx, q); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%v: cancelled: %d, %v", m, n, err)
		}
		if n, err := p.Count(t.Context(), search.Query{}); n != 0 || err != nil {
			t.Errorf("%v: no terms: %d, %v", m, n, err)
		}
		q.Mode = query.ModeAndOr
		if n, err := p.Count(t.Context(), q); n != 0 || !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%v: and-or: %d, %v", m, n, err)
		}
		p.Close()
		if n, err := p.Count(t.Context(), search.Query{Text: "w1"}); n != 0 || !errors.Is(err, ErrClosed) {
			t.Errorf("%v: closed: %d, %v", m, n, err)
		}
	}
}
