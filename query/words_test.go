package query_test

import (
	"reflect"
	"testing"

	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/query"
)

// A clone of a node stays as it is when the bytes and slices of the node change.
func TestCloneNode(t *testing.T) {
	node := func(b []byte, nodes []query.Node, filters []query.Filter, weighted []query.WeightedTerm) query.Node {
		term := query.Term{Field: "title", Term: b, Boost: 2}
		copy(nodes, []query.Node{term, query.Match{Text: "a"}, query.All{Score: 3}, query.Dot{Field: "vector", Terms: weighted}})
		copy(weighted, []query.WeightedTerm{{Term: b, Weight: 7}, {Term: b, Weight: 8}})
		copy(filters, []query.Filter{query.Where{Node: term}, query.IDs{IDs: [][]byte{b}}})
		return query.Bool{Must: nodes, Should: []query.Node{query.Best{Of: nodes, Tie: 0.5}}, Not: []query.Node{query.Const{Node: term}}, Filter: filters, AtLeast: 1}
	}
	b, nodes, filters, weighted := []byte("word"), make([]query.Node, 4), make([]query.Filter, 2), make([]query.WeightedTerm, 2)
	n := node(b, nodes, filters, weighted)
	c := query.CloneNode(trusted.Caller{}, n)
	want := node([]byte("word"), make([]query.Node, 4), make([]query.Filter, 2), make([]query.WeightedTerm, 2))
	if !reflect.DeepEqual(c, want) {
		t.Fatalf("%+v, want %+v", c, want)
	}
	copy(b, "lost")
	nodes[1], filters[0], weighted[1].Weight = query.All{}, query.IDs{}, 9
	if !reflect.DeepEqual(c, want) {
		t.Errorf("after changes %+v, want %+v", c, want)
	}
}
