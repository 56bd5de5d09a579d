package search_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// An index that is read on demand is sorted, counted and collapsed as one in memory.
func TestRemoteColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 36))
	docs := books(rng, 9000)
	for _, s := range []*schema.Schema{shopSchema(), logSchema()} {
		remoteColumns(t, shop(t, s, docs, shopValues(rng, len(docs)), 4200), s.Number("title") < 0)
	}
}

// remoteColumns compares what is read on demand with what is in memory, by queries without words if bare.
func remoteColumns(t *testing.T, l *querytest.Live, bare bool) {
	t.Helper()
	local, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	files := filesOf(l.FS())
	synctest.Test(t, func(t *testing.T) {
		o := &objects{files: files}
		x := o.opened(t, 64<<20)
		defer x.close(t)
		for _, q := range []search.Query{
			{Sort: []search.SortBy{{Field: "price"}, {Field: "brand", Desc: true}}},
			{Sort: []search.SortBy{{Field: "added", Desc: true}}, K: 3},
			{Facets: []search.Facet{{Field: "brand"}, {Field: "price", Width: 1000}}},
			{Collapse: "brand"},
		} {
			nodes := []query.Node{query.All{}, query.Match{Text: "w1 w3"}}
			if bare {
				nodes[1] = query.Bool{Filter: []query.Node{query.Range{Field: "price", Max: schema.IntegerValue(0, 3000)}}}
			}
			for _, q.Node = range nodes {
				want, err := local.Search(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				got, err := x.Search(t.Context(), q)
				if a, b := fmt.Sprint(got), fmt.Sprint(want); err != nil || a != b {
					t.Errorf("%+v: %v, %.300s, want %.300s", q, err, a, b)
				}
			}
		}
	})
}
