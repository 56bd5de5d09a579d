package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format/codec/bp128"
	"github.com/pinion-index/pinion/query/internal/querytest"
)

// Caching long lists changes no answer, not even with frequencies above 255, and stays within its
// bound.
func TestDenseLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	docs := querytest.ZipfDocs(rng, 30000, 2000, 4) // lists of less than readAlways postings are never probed
	for d := range docs {
		if d%10 > 0 {
			docs[d] = append(docs[d], "common")
		}
		if d%7 > 0 {
			docs[d] = append(docs[d], "usual")
		}
		if d%97 == 0 {
			for range 200 + rng.IntN(120) {
				docs[d] = append(docs[d], "common", "usual")
			}
		}
	}
	parts := buildParts(t, docs, nil, bp128.Codec{})
	several := searcherOver(t, buildParts(t, docs, nil, bp128.Codec{}, 25000), Options{})
	all := searcherOver(t, parts, Options{})
	plain := searcherOver(t, parts, Options{DenseBytes: -1})
	one := searcherOver(t, parts, Options{DenseBytes: 2})
	for i := range 60 {
		q := Query{Terms: querytest.Terms("common", "usual", fmt.Sprintf("w%d", 100+rng.IntN(300)), fmt.Sprintf("w%d", 400+rng.IntN(1000))), K: 1 + rng.IntN(20)}
		short := q // whose conjunction has matches
		short.Terms = querytest.Terms("common", fmt.Sprintf("w%d", rng.IntN(200)), "usual")
		for _, q := range []Query{q, short} {
			for _, q.Mode = range []Mode{Or, And} {
				want, err := plain.Search(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				for j, s := range []*Searcher{all, one, several} {
					got, err := s.Search(context.Background(), q)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got.Hits, want.Hits) {
						t.Fatalf("query %d, mode %v, searcher %d: %s", i, q.Mode, j, difference(want.Hits, got.Hits))
					}
				}
			}
		}
	}
	for _, x := range []struct {
		s    *Searcher
		want int
	}{{plain, 0}, {one, 1}, {all, 2}} {
		n := 0
		if m := x.s.parts[0].dense.lists.Load(); m != nil {
			n = len(*m)
		}
		if n != x.want {
			t.Errorf("%d lists are kept, want %d", n, x.want)
		}
	}
}
