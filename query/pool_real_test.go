package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/writer"
)

// Models over real text, in several segments and in one: the same to the bit as a
// Searcher, among them queries with many documents of equal score.
func TestPoolsRealText(t *testing.T) {
	texts := verses(t)
	if testing.Short() {
		texts = texts[:6000]
	}
	ctx := context.Background()
	simple, err := analysis.New("simple", "")
	if err != nil {
		t.Fatal(err)
	}
	l := newLive(t, writer.Options{Analyzer: simple})
	for i, text := range texts {
		l.do(l.w.Add(ctx, writer.Document{ID: fmt.Appendf(nil, "v%d", i), Contents: []byte(text)}))
		if i%(len(texts)/5) == 100 {
			l.do(l.w.Flush(ctx))
		}
	}
	searchers := []*Searcher{l.searcher()}
	_, err = l.w.Merge(ctx, writer.MergeOptions{})
	l.do(err)
	searchers = append(searchers, l.searcher())

	rng := rand.New(rand.NewPCG(51, 52))
	var queries []Query
	for i := range 60 {
		d := words(texts[rng.IntN(len(texts))])
		at := rng.IntN(len(d))
		queries = append(queries, Query{Terms: terms(d[at:min(len(d), at+1+rng.IntN(6))]...), K: []int{1, 10, 1000}[rng.IntN(3)], Mode: Mode(i % 3)})
	}
	queries = append(queries, Query{Terms: terms("and"), K: 50}, Query{Terms: terms("the", "and"), K: 500, Mode: And}) // ties
	want, err := searchers[1].Execute(ctx, queries)
	l.do(err)
	for i, s := range searchers {
		for _, m := range models {
			for _, o := range []PoolOptions{{Workers: 1}, {Workers: 2, TaskPostings: 200}, {Workers: 5, TaskPostings: 1000, Threshold: 50}, {Workers: 8}} {
				o.Model = m
				got, err := newTestPool(t, s, o).Execute(ctx, queries)
				l.do(err)
				for j := range queries {
					if !slices.Equal(got[j].Hits, want[j].Hits) {
						t.Fatalf("index %d, %+v, query %d (%v, k %d): %s", i, o, j, queries[j].Mode, queries[j].K, difference(want[j].Hits, got[j].Hits))
					}
				}
			}
		}
	}
}
