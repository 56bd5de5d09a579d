package search_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/writer"
)

// Nearest and Similarity have the same hits in an index that is read on demand, of a Searcher and of a Pool.
func TestNearestRemote(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 3))
	docs := books(rng, 2000)
	l := denseLibrary(t, writer.Options{}, docs, 900, true)
	r := &treeDrawer{Rand: rng, docs: docs, dense: true}
	var queries []search.Query
	for range 2 {
		near, _ := r.nearest()
		q := query.Bool{Must: []query.Node{near, query.Term{Field: "body", Text: "w1"}}, Should: []query.Node{query.Similarity{Field: "place", Vector: r.near(&denseFields[2])}}}
		queries = append(queries, search.Query{Node: near, K: 5}, search.Query{Node: q, K: 5})
	}
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
					t.Errorf("%s, cache %d, query %d: %v, want %v", name, cache, i, got[i].Hits, want[i].Hits)
				}
			}
		}
		p.Close()
		x.close(t)
	}
}
