package pool

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/writer"
)

// All models over real text, in several segments and in one, give the results of a Searcher to
// the bit, also for queries with many documents of equal score.
func TestPoolsRealText(t *testing.T) {
	texts := querytest.Verses(t)
	if !longtest.Enabled() {
		texts = texts[:6000]
	}
	ctx := context.Background()
	l := querytest.NewLive(t, writer.Options{})
	for i, text := range texts {
		l.AddText(i, text)
		if i%(len(texts)/5) == 100 {
			l.Do(l.Flush(ctx))
		}
	}
	searcher := func() *search.Searcher {
		s, err := search.NewSearcher(l.Snapshot(), search.Options{})
		l.Do(err)
		t.Cleanup(func() { s.Close() })
		return s
	}
	searchers := []*search.Searcher{searcher()}
	l.MergeAll()
	searchers = append(searchers, searcher())

	rng := rand.New(rand.NewPCG(51, 52))
	var queries []search.Query
	for i := range 60 {
		d := querytest.Words(texts[rng.IntN(len(texts))])
		at := rng.IntN(len(d))
		queries = append(queries, search.Query{RawTerms: querytest.Terms(d[at:min(len(d), at+1+rng.IntN(6))]...), K: []int{1, 10, 1000}[rng.IntN(3)], Mode: query.Mode(i % 3)})
	}
	queries = append(queries, search.Query{RawTerms: querytest.Terms("and"), K: 50}, search.Query{RawTerms: querytest.Terms("the", "and"), K: 500, Mode: query.ModeAnd}) // ties
	want, err := searchers[1].Execute(ctx, queries)
	l.Do(err)
	for i, s := range searchers {
		for _, m := range models {
			for _, o := range []Options{{Workers: 1}, {Workers: 2, TaskPostings: 200}, {Workers: 5, TaskPostings: 1000, Threshold: 50}, {Workers: 8}} {
				o.Model = m
				got, err := newTestPool(t, s, o).Execute(ctx, queries)
				l.Do(err)
				for j := range queries {
					if !slices.Equal(got[j].Hits, want[j].Hits) {
						t.Fatalf("index %d, %+v, query %d (%v, k %d): %s", i, o, j, queries[j].Mode, queries[j].K, difference(want[j].Hits, got[j].Hits))
					}
				}
			}
		}
	}
}
