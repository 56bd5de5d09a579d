package query_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/pinion-index/pinion/query"
)

// An index that is read on demand is sorted, counted and collapsed as one in memory.
func TestRemoteColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 36))
	docs := books(rng, 9000)
	l := shop(t, docs, shopValues(rng, len(docs)), 4200)
	local, err := query.NewSearcher(l.Snapshot(), query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	files := filesOf(l.FS())
	synctest.Test(t, func(t *testing.T) {
		o := &objects{files: files}
		x := o.opened(t, 64<<20)
		defer x.close(t)
		for _, q := range []query.Query{
			{Sort: []query.SortBy{{Field: "price"}, {Field: "brand", Desc: true}}},
			{Sort: []query.SortBy{{Field: "added", Desc: true}}, K: 3},
			{Facets: []query.Facet{{Field: "brand"}, {Field: "price", Every: 1000}}},
			{Collapse: "brand"},
		} {
			for _, q.Node = range []query.Node{query.All{}, query.Match{Text: "w1 w3"}} {
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
