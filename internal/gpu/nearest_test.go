//go:build !cuda && !gpu

package gpu

import (
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// A query that compares vectors, wherever in it, is left to the CPU for that, but for one Nearest alone, under filters or not.
func TestNearestRefused(t *testing.T) {
	near := query.Nearest{Field: "v", Vector: []float32{1}, K: 1}
	term := query.Term{Text: "a"}
	some := query.Equal("n", 1)
	for _, n := range []query.Node{query.And{term, near}, query.Bool{Must: []query.Node{near}, MustNot: []query.Node{some}}, query.Bool{Should: []query.Node{near}, Filter: []query.Node{some}}, query.Or{near, term}, query.Bool{Must: []query.Node{term}, Filter: []query.Node{near}},
		query.Bool{Should: []query.Node{term, query.Similarity{Field: "v", Vector: []float32{1}}}},
		query.Bool{Must: []query.Node{query.Const{Node: query.Best{Of: []query.Node{term, near}}}}}} {
		if why := Refuse(&search.Query{Node: n, K: 10}); why != reasonNearest {
			t.Errorf("%+v: %q", n, why)
		}
	}
	for _, n := range []query.Node{near, query.Bool{Must: []query.Node{near}, Filter: []query.Node{some}}, query.And{some, near}, query.Bool{Should: []query.Node{near}}} {
		if why := Refuse(&search.Query{Node: n, K: 10}); why != OnDevice {
			t.Errorf("%+v: %q", n, why)
		}
	}
	if why := Refuse(&search.Query{Node: query.And{term, query.Not{Node: query.IDs{"a"}}}, K: 10}); why == reasonNearest {
		t.Error("words are refused as vectors")
	}
}
