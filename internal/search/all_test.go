package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Where all matches have the same score, only so many are looked for as are wanted, whatever K is.
func TestSameScores(t *testing.T) {
	l := querytest.NewLive(t, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Analyzer: "simple"},
		{Name: "level", Kind: schema.Integer, Column: true},
	}}})
	for d := range 60_000 {
		text := "often"
		if d%2 == 0 {
			text = "even often"
		}
		l.Do(l.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, d), Values: []schema.Value{schema.TextValue(0, []byte(text)), schema.IntegerValue(1, int64(d%4))}}))
		if d == 49_999 {
			l.Do(l.Flush(t.Context()))
		}
	}
	l.Do(l.Commit(t.Context()))
	s, err := NewSearcher(l.Snapshot(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	level := query.In{Field: "level", Values: []any{schema.IntegerValue(0, 1)}}
	even := query.Const{Node: query.Match{Field: "text", Text: "even"}, Score: 2}
	for what, c := range map[string]struct {
		node query.Node
		step int // between matches, from the first on
	}{
		"all":         {query.All{Score: 1.5}, 1},
		"all, 0":      {query.All{}, 1},
		"filtered":    {query.Bool{Must: []query.Node{query.All{Score: 1}}, Filter: []query.Node{level}}, 4},
		"constant":    {query.Bool{Must: []query.Node{even, query.All{Score: 0.1}}}, 2},
		"either":      {query.Bool{Should: []query.Node{even, query.All{Score: 0.1}}}, 2},
		"only filter": {query.Bool{Filter: []query.Node{level}}, 4},
	} {
		for _, k := range []int{1, 10, 1000} {
			r, err := s.Search(t.Context(), Query{Node: c.node, K: k, Trace: true})
			if err != nil || len(r.Hits) != k {
				t.Fatal(what, len(r.Hits), err)
			}
			first := int(r.Hits[0].Doc)
			for i, h := range r.Hits {
				if int(h.Doc) != first+i*c.step {
					t.Fatalf("%s: hit %d of %d is %d", what, i, k, h.Doc)
				}
			}
			n := uint64(0)
			for _, seg := range r.Trace.Segments {
				n += seg.Candidates
			}
			if n < uint64(k) || n > 20_000 {
				t.Errorf("%s: %d candidates for %d hits", what, n, k)
			}
			if first != 0 && c.step != 4 || first != 1 && c.step == 4 {
				t.Errorf("%s: the first hit is %d", what, first)
			}
			again, err := s.Search(t.Context(), Query{Node: c.node, K: k, After: &Position{Score: r.Hits[k-1].Score, Doc: r.Hits[k-1].Doc}})
			if err != nil || int(again.Hits[0].Doc) != first+k*c.step || slices.Contains(again.Hits, r.Hits[0]) {
				t.Errorf("%s: after %d comes %v, %v", what, k, again.Hits[0], err)
			}
		}
	}
}
