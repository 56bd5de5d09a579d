package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// mixed draws queries that score words of several fields and dot products together, in sums, bests of sums, and trees of them.
func (r *treeDrawer) mixed() search.Query {
	dot := func() query.Node {
		d := query.Dot{Field: "vector", Boost: []float64{0.0003, 0.003, 0.03, 1}[r.IntN(4)]}
		for range 2 + r.IntN(8) {
			d.Terms = append(d.Terms, query.WeightedTerm{Term: fmt.Sprint("v", r.IntN(20)), Weight: 1 + uint32(r.IntN(200))})
		}
		return d
	}
	words := func(field string) query.Node {
		b := query.Bool{}
		for range 1 + r.IntN(4) {
			b.Should = append(b.Should, query.Term{Field: field, Text: r.word(), Boost: r.boost()})
		}
		if r.IntN(6) == 0 {
			b.AtLeast = 1 + r.IntN(len(b.Should))
		}
		if r.IntN(6) == 0 {
			b.Must = []query.Node{query.Term{Field: field, Text: r.word()}}
		}
		return b
	}
	best := func() query.Node {
		b := query.Best{Of: []query.Node{words("title"), words("body"), words("notes")}[r.IntN(2):], Tie: []float64{0, 0.3, 1}[r.IntN(3)]}
		if r.IntN(4) == 0 {
			b.Of = append(b.Of, query.Term{Field: "title", Text: r.word()})
		}
		if r.IntN(6) == 0 {
			b.Of = append(b.Of, dot())
		}
		if r.IntN(8) == 0 {
			b.Of = append(b.Of, query.All{Score: 2})
		}
		return b
	}
	q := search.Query{K: []int{1, 10, 100}[r.IntN(3)]}
	switch r.IntN(8) {
	case 0:
		q.Node = dot()
	case 1:
		q.Node = query.Bool{Should: []query.Node{words("body"), dot()}}
	case 2:
		q.Node = query.Bool{Should: []query.Node{words("body"), words("title"), dot(), dot()}}
	case 3:
		q.Node = query.Bool{Must: []query.Node{words("body")}, Should: []query.Node{dot()}}
	case 4:
		q.Node = query.Bool{Must: []query.Node{dot()}, Should: []query.Node{words("body")}, MustNot: []query.Node{words("title")}}
	case 5:
		q.Node = best()
	case 6:
		q.Node = query.Bool{Should: []query.Node{best(), best()}}
	default:
		q.Node = query.Bool{Should: []query.Node{best(), dot(), query.Const{Node: words("title")}}}
	}
	if r.IntN(4) == 0 {
		q.Node = query.Bool{Must: []query.Node{q.Node}, Filter: []query.Node{query.Range{Field: "cost", Min: schema.IntegerValue(0, int64(r.IntN(500)))}}}
	}
	return q
}

// The first hits of a query are the first of all its hits, which no threshold leaves out.
func TestFirstOfAll(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(41, 1))
	const docs = 40_000
	r := &treeDrawer{Rand: rng, ranks: ranks(rng, docs), weights: []float64{0.01, 1, 3}, words: 60}
	l := ranked(t, books(rng, docs), r.ranks, 30_000)
	for _, merged := range []bool{false, true} {
		if merged {
			l.MergeAll()
		}
		s, err := search.NewSearcher(l.Snapshot(), search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range longtest.Count(120, 1200) {
			q := r.mixed()
			if rng.IntN(3) == 0 {
				q.Static, _ = r.static()
			}
			all := q
			all.K = docs
			want, err := s.Search(t.Context(), all)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Search(t.Context(), q)
			if n := min(q.K, len(want.Hits)); err != nil || !slices.Equal(got.Hits, want.Hits[:n]) {
				t.Fatalf("%+v: %d hits, %v: %v\nwant %v", q, len(got.Hits), err, got.Hits[:min(5, len(got.Hits))], want.Hits[:min(5, n)])
			}
		}
		s.Close()
	}
}
