package query_test

import (
	"context"
	"log"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/pinion-index/pinion/query"
)

// The examples search the three documents of ExampleNode: The Tempest, Hamlet and King Lear.
func open() *query.Searcher {
	s, err := plays(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	return s
}

func body(text string) query.Node { return query.Match{Field: "body", Text: text} }

func ExampleTerm() {
	s := open()
	defer s.Close()
	show(s, query.Query{Node: query.Term{Field: "body", Term: []byte("storm")}})
	show(s, query.Query{Node: query.Term{Field: "body", Term: []byte("Storm")}}) // not a term of the index
	// Output:
	// [2]
	// []
}

func ExampleMatch() {
	s := open()
	defer s.Close()
	show(s, query.Query{Node: query.Match{Text: "Tempest, sea"}})                  // one of the words in one of the fields
	show(s, query.Query{Node: query.Match{Text: "Tempest, sea", Mode: query.And}}) // both, each in any field
	// Output:
	// [0 1 2]
	// [0]
}

func ExampleBool() {
	s := open()
	defer s.Close()
	show(s, query.Query{Node: query.Bool{Must: []query.Node{body("tempest")}, Should: []query.Node{body("storm")}}})
	show(s, query.Query{Node: query.Bool{Must: []query.Node{query.All{}}, Not: []query.Node{body("tempest")}}})
	show(s, query.Query{Node: query.Bool{Should: []query.Node{body("tempest"), body("mind"), body("storm")}, AtLeast: 2}})
	// Output:
	// [2 1]
	// [0]
	// [1 2]
}

func ExampleBest() {
	s := open()
	defer s.Close()
	title := query.Match{Field: "title", Text: "tempest"}
	show(s, query.Query{Node: query.Best{Of: []query.Node{title, body("tempest")}, Tie: 0.1}})
	// Output:
	// [0 1 2]
}

func ExampleConst() {
	s := open()
	defer s.Close()
	// Comedies first, and then by the score of the word.
	comedy := query.Const{Node: query.Term{Field: "genre", Term: []byte("comedy")}, Score: 100}
	show(s, query.Query{Node: query.Bool{Should: []query.Node{comedy, body("storm")}}})
	// Output:
	// [0 2]
}

func ExampleAll() {
	s := open()
	defer s.Close()
	show(s, query.Query{Node: query.All{}})
	// Output:
	// [0 1 2]
}

func ExampleWhere() {
	s := open()
	defer s.Close()
	tragedies := query.Where{Node: query.Term{Field: "genre", Term: []byte("tragedy")}} // does not score
	show(s, query.Query{Node: query.Bool{Must: []query.Node{query.Match{Text: "tempest"}}, Filter: []query.Filter{tragedies}}})
	// Output:
	// [1 2]
}

func ExampleIDs() {
	s := open()
	defer s.Close()
	some := query.IDs{IDs: [][]byte{[]byte("Hamlet"), []byte("The Tempest")}}
	show(s, query.Query{Node: query.Bool{Must: []query.Node{body("tempest")}, Filter: []query.Filter{some}}})
	// Output:
	// [1]
}

func ExampleBitmap() {
	s := open()
	defer s.Close()
	some := query.Bitmap{Docs: roaring.BitmapOf(0, 2)}
	show(s, query.Query{Node: query.Bool{Filter: []query.Filter{some}}})
	// Output:
	// [0 2]
}
