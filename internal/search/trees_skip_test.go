package search

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
)

// Trees skip blocks and candidates that cannot give hits, their traces and plans say that nodes were evaluated, and what
// a mode says is none.
func TestTreesSkip(t *testing.T) {
	longtest.Once(t)
	docs := querytest.ZipfDocs(rand.New(rand.NewPCG(41, 42)), 30000, 300, 10)
	s, err := NewSearcher(querytest.Index(t, docs, []int{5, 7}, 16000), Options{Params: query.Params{K1: 0.9, B: 0.4}, DenseBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	w := func(text string) query.Node { return query.Match{Text: text} }
	for _, c := range []struct {
		node query.Node
		most float64 // blocks decoded, of all
	}{
		{query.Bool{Must: []query.Node{w("w0 w200"), w("w1")}}, 0.65},
		{query.Bool{Must: []query.Node{w("w2")}, MustNot: []query.Node{w("w1")}}, 0.4},
		{query.Bool{Should: []query.Node{w("w0"), w("w1"), w("w40"), w("w90")}, AtLeast: 2}, 0.5},
		{query.Best{Of: []query.Node{w("w0"), w("w120")}, Tie: 0.2}, 0.9},
		{query.Bool{Must: []query.Node{w("w0")}, Should: []query.Node{w("w150")}}, 0.4},
	} {
		q := Query{Node: c.node, K: 5, Trace: true}
		r, err := s.Search(t.Context(), q)
		if err != nil || len(r.Hits) < 5 {
			t.Fatalf("%+v: %d hits, %v", c.node, len(r.Hits), err)
		}
		decoded, blocks := uint64(0), 0
		for _, g := range r.Trace.Segments {
			if g.Algorithm.String() != "nodes" || g.Algorithm.Conjunctive() {
				t.Errorf("%+v by %v", c.node, g.Algorithm)
			}
			for _, l := range g.Lists {
				decoded, blocks = decoded+l.DocBlocks, blocks+l.Blocks
			}
		}
		if share := float64(decoded) / float64(blocks); share > c.most {
			t.Errorf("%+v: %d of %d blocks decoded", c.node, decoded, blocks)
		}
		x := q.Engine()
		if p, err := s.engine.Plan(t.Context(), &x); err != nil || !strings.Contains(p.String(), "\nnodes\n  segment 0: nodes over ") {
			t.Errorf("%+v: plan %q, %v", c.node, p, err)
		}
	}
	r, err := s.Search(t.Context(), Query{Node: query.Bool{Should: []query.Node{w("w1"), query.Bool{Should: []query.Node{w("w2"), w("w3")}}}}, Trace: true})
	if err != nil || r.Trace.Algorithm != RangeMaxScore {
		t.Errorf("a disjunction of disjunctions by %v, %v", r.Trace, err)
	}
	some, others := docset.NewGlobal(docset.Range(0, 20000)), docset.NewGlobal(docset.Range(10000, 30000))
	filters := []query.Node{query.DocsOf(some.All()), query.DocsOf(others.All())}
	for i, c := range []struct {
		node query.Bool
		by   string
	}{
		{query.Bool{Must: []query.Node{w("w2"), w("w30")}, Filter: filters}, "bmand"},
		{query.Bool{Should: []query.Node{w("w2"), w("w30")}, AtLeast: 1, Filter: filters}, "range-maxscore"},
		{query.Bool{Must: []query.Node{query.Match{Text: "w2 w30"}}, Filter: filters}, "range-maxscore"},
		{query.Bool{Must: []query.Node{w("w2")}, Should: []query.Node{w("w30")}, Filter: filters}, "nodes"},
	} {
		got, err := s.Search(t.Context(), Query{Node: c.node, Trace: true, Total: true})
		if err != nil || got.Trace.Algorithm.String() != c.by {
			t.Errorf("query %d by %v, not %s, %v", i, got.Trace.Algorithm, c.by, err)
		}
		c.node.Filter = nil
		want, err := s.Search(t.Context(), Query{Node: c.node, Filter: docset.NewGlobal(docset.Range(10000, 20000)), Total: true})
		if err != nil || got.Total != want.Total || !slices.Equal(got.Hits, want.Hits) {
			t.Errorf("query %d: %d hits %v, not %d %v, %v", i, got.Total, got.Hits, want.Total, want.Hits, err)
		}
	}
}
