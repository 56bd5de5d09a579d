package query_test

import (
	"reflect"
	"testing"

	"github.com/pinion-index/pinion/query"
)

// A clone of a node stays as it is when the slices of the node change.
func TestClone(t *testing.T) {
	node := func(nodes []query.Node, filters []query.Node, weighted []query.WeightedTerm) query.Node {
		term := query.Term{Field: "title", Text: "word", Boost: 2}
		copy(nodes, []query.Node{term, query.Match{Text: "a"}, query.All{Score: 3}, query.Dot{Field: "vector", Terms: weighted}})
		copy(weighted, []query.WeightedTerm{{Term: "word", Weight: 7}, {Term: "word", Weight: 8}})
		copy(filters, []query.Node{term, query.IDs{"word"}})
		return query.Bool{Must: nodes, Should: []query.Node{query.Best{Of: nodes, Tie: 0.5}}, MustNot: []query.Node{query.Const{Node: term}}, Filter: filters, AtLeast: 1}
	}
	nodes, filters, weighted := make([]query.Node, 4), make([]query.Node, 2), make([]query.WeightedTerm, 2)
	n := node(nodes, filters, weighted)
	c := query.Clone(n)
	want := node(make([]query.Node, 4), make([]query.Node, 2), make([]query.WeightedTerm, 2))
	if !reflect.DeepEqual(c, want) {
		t.Fatalf("%+v, want %+v", c, want)
	}
	nodes[1], filters[0], weighted[1].Weight = query.All{}, query.IDs{}, 9
	if !reflect.DeepEqual(c, want) {
		t.Errorf("after changes %+v, want %+v", c, want)
	}
}
