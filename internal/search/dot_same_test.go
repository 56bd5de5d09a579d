package search_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// drawDots draws queries whose root is a Dot, of which some have a filter.
func drawDots(rng *rand.Rand, docs, n int) (all []search.Query) {
	for len(all) < n {
		d := query.Dot{Field: "vector", Boost: []float64{0, 0.3, 4}[rng.IntN(3)]}
		for range 2 + rng.IntN(8) {
			d.Terms = append(d.Terms, query.WeightedTerm{Term: fmt.Sprint("v", rng.IntN(20)), Weight: 2 + uint32(rng.IntN(1+rng.IntN(4000)))})
		}
		q := search.Query{Node: d, K: []int{1, 10, docs}[rng.IntN(3)]}
		if rng.IntN(3) == 0 {
			q.Node = query.Bool{Must: []query.Node{d}, Filter: []query.Node{query.Range{Field: "cost", Min: schema.IntegerValue(0, int64(rng.IntN(500)))}}}
		}
		all = append(all, q)
	}
	return all
}

// dotOf returns the Dot that a query of drawDots has.
func dotOf(q *search.Query) query.Dot {
	if b, ok := q.Node.(query.Bool); ok {
		return b.Must[0].(query.Dot)
	}
	return q.Node.(query.Dot)
}

// withDot returns q with another Dot.
func withDot(q search.Query, d query.Dot) search.Query {
	if b, ok := q.Node.(query.Bool); ok {
		b.Must = []query.Node{d}
		q.Node = b
		return q
	}
	q.Node = d
	return q
}

// A Dot has the same hits whatever the order of its terms, when one of them is two with the weight divided between
// them, and with terms that no document has.
func TestDotTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 1))
	const docs = 3000
	s, err := search.NewSearcher(library(t, writer.Options{}, books(rng, docs), 1100).Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, q := range drawDots(rng, docs, 60) {
		want, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			d := dotOf(&q)
			d.Terms = slices.Clone(d.Terms)
			for range rng.IntN(4) {
				i := rng.IntN(len(d.Terms))
				if w := d.Terms[i].Weight; w > 1 {
					d.Terms[i].Weight = 1 + uint32(rng.IntN(int(w)-1))
					d.Terms = append(d.Terms, query.WeightedTerm{Term: d.Terms[i].Term, Weight: w - d.Terms[i].Weight})
				}
			}
			for range rng.IntN(3) {
				d.Terms = append(d.Terms, query.WeightedTerm{Term: fmt.Sprint("absent", rng.IntN(9)), Weight: 1 + uint32(rng.IntN(900))})
			}
			rng.Shuffle(len(d.Terms), func(i, j int) { d.Terms[i], d.Terms[j] = d.Terms[j], d.Terms[i] })
			got, err := s.Search(t.Context(), withDot(q, d))
			if err != nil || !slices.Equal(got.Hits, want.Hits) {
				t.Fatalf("%v\nas %v: %d hits %v, %v\nwant %d %v", q, d, len(got.Hits), got.Hits[:min(9, len(got.Hits))], err, len(want.Hits), want.Hits[:min(9, len(want.Hits))])
			}
		}
	}
}

// idsAndScores returns the hits of queries by external id, those of the same score in the order of ids.
func idsAndScores(t *testing.T, snapshot *reader.Snapshot, queries []search.Query) (all [][]string) {
	t.Helper()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, q := range queries {
		r, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(r.Hits, func(a, b search.Hit) int { return cmp.Compare(b.Score, a.Score) })
		var hits []string
		for _, h := range r.Hits {
			id, err := snapshot.AppendID(nil, h.Doc)
			if err != nil {
				t.Fatal(err)
			}
			if hits = append(hits, fmt.Sprintf("%x %s", h.Score, id)); q.K < 3000 {
				hits[len(hits)-1] = fmt.Sprintf("%x", h.Score) // which documents of the last score there are depends on their order
			}
		}
		slices.Sort(hits)
		all = append(all, hits)
	}
	return all
}

// A Dot finds the same documents with the same scores in any order of documents.
func TestDotReordered(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(39, 2))
	const docs = 3000
	l := library(t, writer.Options{MergePolicy: writer.NoMerges}, books(rng, docs), 1100)
	queries := drawDots(rng, docs, 40)
	want := idsAndScores(t, l.Snapshot(), queries)
	for _, o := range []writer.MergeOptions{{Order: writer.OrderRandom, Seed: 5}, {Order: writer.OrderBisection}, {Order: writer.OrderField("cost", true)}} {
		_, err := l.Merge(t.Context(), o)
		l.Do(err)
		l.Do(l.Commit(t.Context()))
		for i, got := range idsAndScores(t, l.Snapshot(), queries) {
			if !slices.Equal(got, want[i]) {
				t.Errorf("%s: %v has other answers: %d hits, want %d", o.Order, queries[i], len(got), len(want[i]))
			}
		}
	}
}

// A Dot has the same hits in an index that is read on demand, of a Searcher and of a Pool.
func TestDotRemote(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 3))
	const docs = 6000
	l := library(t, writer.Options{}, books(rng, docs), 4000)
	queries := drawDots(rng, docs, 6)
	local, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	want, err := local.Execute(t.Context(), queries)
	if err != nil {
		t.Fatal(err)
	}
	o := &objects{files: filesOf(l.FS())}
	for _, cache := range []int64{-1, 0} {
		x := o.opened(t, cache)
		p, err := pool.New(x.Searcher, pool.Options{Workers: 2, Model: pool.FineGrained, TaskPostings: 512})
		if err != nil {
			t.Fatal(err)
		}
		for name, e := range map[string]search.Executor{"searcher": x.Searcher, "pool": p} {
			got, err := e.Execute(t.Context(), queries)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if !slices.Equal(got[i].Hits, want[i].Hits) {
					t.Errorf("%s, cache %d: %v: %d hits, want %d", name, cache, queries[i], len(got[i].Hits), len(want[i].Hits))
				}
			}
		}
		p.Close()
		x.close(t)
	}
}
