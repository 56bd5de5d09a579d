package search_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// TestRemoteFilter filters an index that is read on demand.
func TestRemoteFilter(t *testing.T) {
	l := library(t, writer.Options{}, books(rand.New(rand.NewPCG(5, 6)), 9000), 20000)
	q := search.Query{Node: query.Bool{Must: []query.Node{query.Match{Text: "w1 w2"}}, Filter: []query.Node{
		query.Range{Field: "cost", Min: schema.IntegerValue(0, 5), Max: schema.IntegerValue(0, 60)}, query.Exists{Field: "tag"}}}}
	local, err := search.NewSearcher(l.Snapshot(), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	files := filesOf(l.FS())
	want, err := local.Search(t.Context(), q)
	if err != nil || len(want.Hits) < 10 {
		t.Fatal(want, err)
	}
	synctest.Test(t, func(t *testing.T) {
		o := &objects{files: files}
		x := o.opened(t, 0)
		defer x.close(t)
		got, err := x.Search(t.Context(), q)
		if err != nil || !slices.Equal(got.Hits, want.Hits) {
			t.Fatalf("%v, %v; want %v", got.Hits, err, want.Hits)
		}
	})
}

// TestRemoteSmall opens an index of small segments, which are read whole: a wait for the manifest, and
// one for all that follows.
func TestRemoteSmall(t *testing.T) {
	l := library(t, writer.Options{}, books(rand.New(rand.NewPCG(5, 6)), 400), 100)
	files := filesOf(l.FS())
	synctest.Test(t, func(t *testing.T) {
		o := &objects{files: files}
		start := time.Now()
		x := o.opened(t, 0)
		defer x.close(t)
		if n := time.Since(start) / latency; n != 2 {
			t.Errorf("%d round trips to open it", n)
		}
		r, err := x.Search(t.Context(), search.Query{Text: "w1 w2 w3"})
		if err != nil || len(r.Hits) == 0 {
			t.Fatal(r, err)
		}
		for _, h := range r.Hits {
			if _, err := x.snapshot.AppendID(nil, h.Doc); err != nil {
				t.Error(err)
			}
		}
		_, _, twice := o.count()
		if n := time.Since(start) / latency; n != 2 || twice > 0 {
			t.Errorf("%d round trips in all, %d bytes read twice", n, twice)
		}
	})
}
