package query

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query/internal/querytest"
)

// Trees skip blocks and candidates that cannot give hits, their traces and plans say that nodes were evaluated, and what
// a mode says is none.
func TestTreesSkip(t *testing.T) {
	docs := querytest.ZipfDocs(rand.New(rand.NewPCG(41, 42)), 30000, 300, 10)
	s, err := NewSearcher(querytest.Index(t, docs, []int{5, 7}, 16000), Options{DenseBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	w := func(text string) Node { return Match{Text: text} }
	for _, c := range []struct {
		node Node
		most float64 // blocks decoded, of all
	}{
		{Bool{Must: []Node{w("w0 w200"), w("w1")}}, 0.65},
		{Bool{Must: []Node{w("w2")}, Not: []Node{w("w1")}}, 0.4},
		{Bool{Should: []Node{w("w0"), w("w1"), w("w40"), w("w90")}, AtLeast: 2}, 0.5},
		{Best{Of: []Node{w("w0"), w("w120")}, Tie: 0.2}, 0.9},
		{Bool{Must: []Node{w("w0")}, Should: []Node{w("w150")}}, 0.4},
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
		x := q.Engine(trusted.Caller{})
		if p, err := s.engine.Plan(t.Context(), &x); err != nil || !strings.Contains(p.String(), "\nnodes\n  segment 0: nodes over ") {
			t.Errorf("%+v: plan %q, %v", c.node, p, err)
		}
	}
	r, err := s.Search(t.Context(), Query{Node: Bool{Should: []Node{w("w1"), Bool{Should: []Node{w("w2"), w("w3")}}}}, Trace: true})
	if err != nil || r.Trace.Algorithm != RangeMaxScore {
		t.Errorf("a disjunction of disjunctions by %v, %v", r.Trace, err)
	}
	some, others := roaring.New(), roaring.New()
	some.AddRange(0, 20000)
	others.AddRange(10000, 30000)
	filters := []Filter{Bitmap{Docs: some}, Bitmap{Docs: others}}
	for i, c := range []struct {
		node Bool
		by   string
	}{
		{Bool{Must: []Node{w("w2"), w("w30")}, Filter: filters}, "bmand"},
		{Bool{Should: []Node{w("w2"), w("w30")}, AtLeast: 1, Filter: filters}, "range-maxscore"},
		{Bool{Must: []Node{Match{Text: "w2 w30"}}, Filter: filters}, "range-maxscore"},
		{Bool{Must: []Node{w("w2")}, Should: []Node{w("w30")}, Filter: filters}, "nodes"},
	} {
		got, err := s.Search(t.Context(), Query{Node: c.node, Trace: true, Total: true})
		if err != nil || got.Trace.Algorithm.String() != c.by {
			t.Errorf("query %d by %v, not %s, %v", i, got.Trace.Algorithm, c.by, err)
		}
		c.node.Filter = nil
		want, err := s.Search(t.Context(), Query{Node: c.node, Filter: roaring.And(some, others), Total: true})
		if err != nil || got.Total != want.Total || !slices.Equal(got.Hits, want.Hits) {
			t.Errorf("query %d: %d hits %v, not %d %v, %v", i, got.Total, got.Hits, want.Total, want.Hits, err)
		}
	}
}
