package query_test

import (
	"github.com/pinion-index/pinion/query"
)

// The examples search the three documents of ExampleNode: The Tempest, Hamlet and King Lear.

func body(text string) query.Node { return query.Match{Field: "body", Text: text} }

func ExampleTerm() {
	p := open()
	defer p.close()
	p.show(query.Term{Field: "body", Text: "storm"})
	p.show(query.Term{Field: "body", Text: "Storm"}) // not a term of the index
	// Output:
	// ["King Lear"]
	// []
}

func ExampleMatch() {
	p := open()
	defer p.close()
	p.show(query.Match{Text: "Tempest, sea"})                      // one of the words in one of the fields
	p.show(query.Match{Text: "Tempest, sea", Mode: query.ModeAnd}) // both, each in any field
	// Output:
	// ["The Tempest" "Hamlet" "King Lear"]
	// ["The Tempest"]
}

func ExampleBool() {
	p := open()
	defer p.close()
	p.show(query.Bool{Must: []query.Node{body("tempest")}, Should: []query.Node{body("storm")}})
	p.show(query.Bool{Must: []query.Node{query.All{}}, MustNot: []query.Node{body("tempest")}})
	p.show(query.Bool{Should: []query.Node{body("tempest"), body("mind"), body("storm")}, AtLeast: 2})
	// Output:
	// ["King Lear" "Hamlet"]
	// ["The Tempest"]
	// ["Hamlet" "King Lear"]
}

func ExampleBest() {
	p := open()
	defer p.close()
	title := query.Match{Field: "title", Text: "tempest"}
	p.show(query.Best{Of: []query.Node{title, body("tempest")}, Tie: 0.1})
	// Output:
	// ["The Tempest" "Hamlet" "King Lear"]
}

func ExampleConst() {
	p := open()
	defer p.close()
	// Comedies first, and then by the score of the word.
	comedy := query.Const{Node: query.Term{Field: "genre", Text: "comedy"}, Score: 100}
	p.show(query.Bool{Should: []query.Node{comedy, body("storm")}})
	// Output:
	// ["The Tempest" "King Lear"]
}

func ExampleAll() {
	p := open()
	defer p.close()
	p.show(query.All{})
	// Output:
	// ["The Tempest" "Hamlet" "King Lear"]
}

func ExampleBool_filter() {
	p := open()
	defer p.close()
	tragedies := query.Term{Field: "genre", Text: "tragedy"} // does not score
	p.show(query.Bool{Must: []query.Node{query.Match{Text: "tempest"}}, Filter: []query.Node{tragedies}})
	// Output:
	// ["Hamlet" "King Lear"]
}

func ExampleIDs() {
	p := open()
	defer p.close()
	some := query.IDs{"Hamlet", "The Tempest"}
	p.show(query.Bool{Must: []query.Node{body("tempest")}, Filter: []query.Node{some}})
	// Output:
	// ["Hamlet"]
}
